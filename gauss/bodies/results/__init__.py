"""What a mechanism's answer means for its bodies: reactions, powers, statics, stress."""
