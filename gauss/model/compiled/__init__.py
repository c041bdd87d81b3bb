"""Compiled models: the only folder that knows CasADi. Everything above sees NumPy arrays."""

from gauss.model.compiled.derivatives.jets import PairTable
from gauss.model.compiled.steps.fused import OFF_PLACES, FusedStep, Stages, StepScalar
from gauss.model.compiled.steps.measures import Measures
from gauss.model.compiled.steps.programs import GaussData, SparseGaussData
from gauss.model.compiled.terms import CompiledModel, Terms

__all__ = [
    "OFF_PLACES",
    "CompiledModel",
    "FusedStep",
    "GaussData",
    "Measures",
    "PairTable",
    "SparseGaussData",
    "Stages",
    "StepScalar",
    "Terms",
]
