"""Mechanisms put together from rough poses."""
