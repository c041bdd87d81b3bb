"""Compiled models: the only folder that knows CasADi. Everything above sees NumPy arrays."""

from gauss.model.compiled.fused import FusedStep, GaussData
from gauss.model.compiled.terms import CompiledModel, Terms

__all__ = ["CompiledModel", "FusedStep", "GaussData", "Terms"]
