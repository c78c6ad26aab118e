"""Why a request was refused or allowed, for the caller and for operators."""
