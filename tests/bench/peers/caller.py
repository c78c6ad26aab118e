"""Who calls a peer on FastAPI, as the chapter on JWT tokens of FastAPI's tutorial."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import jwt
from fastapi import Depends, HTTPException, status
from fastapi.security import OAuth2PasswordBearer
from pydantic import BaseModel

PUBLIC_KEY = Path(os.environ["BENCH_PUBLIC_KEY"]).read_text()
ISSUER = AUDIENCE = os.environ["BENCH_ISSUER"]

bearer = OAuth2PasswordBearer(tokenUrl="token")


class User(BaseModel):
    """Who is calling."""

    user_id: str
    tenant_id: str


async def current_user(token: Annotated[str, Depends(bearer)]) -> User:
    try:
        claims = jwt.decode(token, PUBLIC_KEY, algorithms=["RS256"], audience=AUDIENCE, issuer=ISSUER)
        return User(user_id=claims["sub"], tenant_id=claims["tenantId"])
    except (jwt.InvalidTokenError, KeyError):
        raise HTTPException(
            status.HTTP_401_UNAUTHORIZED,
            "Could not validate credentials",
            headers={"WWW-Authenticate": "Bearer"},
        ) from None


CurrentUser = Annotated[User, Depends(current_user)]
