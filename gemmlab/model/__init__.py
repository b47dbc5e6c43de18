"""How long a kernel would take on a GPU that is not here: from its machine code and from what the emulator counts."""

from gemmlab.model.predict import predict
from gemmlab.model.prediction import Prediction, Reason

__all__ = ["Prediction", "Reason", "predict"]
