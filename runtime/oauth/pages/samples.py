"""What each template gets, with values to try it with when the service starts.

Beyond these every template has ``title`` and ``fault``: an error of the form, or None.
"""

from collections.abc import Mapping
from typing import Any, Final

_FORM: Final = {"action": "/oauth/authorize", "request": "eyJ…", "client": "Depot", "client_id": "depot-app"}

SAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "login": {**_FORM, "user_id": "ann@acme.example"},
    "consent": {
        **_FORM,
        "user_id": "ann@acme.example",
        "scopes": ["openid: know who you are"],
        "resources": ["https://stock.example/api"],
        "return_to": "app.example",
    },
    "change": {**_FORM, "user_id": "ann@acme.example", "change_token": "eyJ…", "least": 12},
    "logout": {**_FORM, "action": "/oauth/logout", "user_id": "ann@acme.example"},
    "logged_out": {"text": "You can close this page."},
    "error": {"text": "The application is not known here."},
}
