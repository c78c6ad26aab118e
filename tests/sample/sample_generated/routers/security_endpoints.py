"""Hand-written endpoints of the area security, from runtime/system/specs/security/oauth.yaml, runtime/system/specs/security/oauth_clients.yaml, runtime/system/specs/security/own_account.yaml, runtime/system/specs/security/permission.yaml, runtime/system/specs/security/security.yaml, runtime/system/specs/security/users.yaml. Written by the generator; do not edit."""

from typing import Annotated

from fastapi import Form, Header, Path, Query
from pydantic import Field

import runtime.explain.explanations
import runtime.identity.login.own_account
import runtime.identity.login.routes
import runtime.identity.users.user_routes
import runtime.oauth.authorize.pushed
import runtime.oauth.authorize.routes
import runtime.oauth.client_routes
import runtime.oauth.introspection
import runtime.oauth.logout
import runtime.oauth.metadata
import runtime.oauth.registration
import runtime.oauth.resource_metadata
import runtime.oauth.revocation
import runtime.oauth.sign_on.own_sessions
import runtime.oauth.token
import runtime.oauth.userinfo
from runtime.http import Anonymous, Calling, Json, KeyTerms, Parameters, RecordRouter, admit, answer, nothing
from runtime.system.models.authorization_form import AuthorizationForm
from runtime.system.models.authorization_request import AuthorizationRequest
from runtime.system.models.caller import Caller
from runtime.system.models.client_credential import ClientCredential
from runtime.system.models.client_registration import ClientRegistration
from runtime.system.models.client_secret import ClientSecret
from runtime.system.models.decision_told import DecisionTold
from runtime.system.models.effective_rules import EffectiveRules
from runtime.system.models.end_session_form import EndSessionForm
from runtime.system.models.end_session_request import EndSessionRequest
from runtime.system.models.impersonation_grant import ImpersonationGrant
from runtime.system.models.introspection_answer import IntrospectionAnswer
from runtime.system.models.key_set import KeySet
from runtime.system.models.login_answer import LoginAnswer
from runtime.system.models.login_request import LoginRequest
from runtime.system.models.logout_request import LogoutRequest
from runtime.system.models.password_change import PasswordChange
from runtime.system.models.password_reset import PasswordReset
from runtime.system.models.permission_answer import PermissionAnswer
from runtime.system.models.permission_question import PermissionQuestion
from runtime.system.models.presented_token import PresentedToken
from runtime.system.models.pushed_answer import PushedAnswer
from runtime.system.models.pushed_authorization import PushedAuthorization
from runtime.system.models.realm_override_grant import RealmOverrideGrant
from runtime.system.models.refresh_request import RefreshRequest
from runtime.system.models.registered_client import RegisteredClient
from runtime.system.models.resource_metadata import ResourceMetadata
from runtime.system.models.role_list import RoleList
from runtime.system.models.secret_rotation import SecretRotation
from runtime.system.models.server_metadata import ServerMetadata
from runtime.system.models.session_list import SessionList
from runtime.system.models.token_answer import TokenAnswer
from runtime.system.models.token_request import TokenRequest
from runtime.system.models.user_account import UserAccount
from runtime.system.models.user_creation import UserCreation
from runtime.system.models.user_existence import UserExistence
from runtime.system.models.user_info import UserInfo
from runtime.system.models.user_info_form import UserInfoForm
from runtime.system.models.user_names import UserNames
from runtime.system.models.user_page import UserPage
from runtime.system.models.user_status import UserStatus

router = RecordRouter(area="security", tags=["security"])


@router.post("/oauth/authorize", operation_id="oauth_answer", errors="page")
async def oauth_answer(
    call: Anonymous,
    body: Annotated[Parameters[AuthorizationForm], Form()],
    cookie: Annotated[str | None, Header(alias="Cookie")] = None,
    user_agent: Annotated[str | None, Header(alias="User-Agent")] = None,
) -> Json[None]:
    """Send the form of a page, or an authorization request."""
    return await runtime.oauth.authorize.routes.answer_post(call, body, cookie=cookie, user_agent=user_agent)


@router.get("/oauth/authorize", operation_id="oauth_authorize", errors="page")
async def authorize(
    call: Anonymous,
    body: Annotated[Parameters[AuthorizationRequest], Query()],
    cookie: Annotated[str | None, Header(alias="Cookie")] = None,
) -> Json[None]:
    """Sign a user in to a client."""
    return await runtime.oauth.authorize.routes.answer_request(call, body, cookie=cookie)


@router.post("/oauth/introspect", operation_id="oauth_introspect", errors="oauth")
async def introspect(
    call: Anonymous,
    body: Annotated[PresentedToken, Form()],
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
) -> Json[IntrospectionAnswer]:
    """Describe an access or refresh token."""
    return answer(
        IntrospectionAnswer,
        await runtime.oauth.introspection.describe_token(call, body, authorization=authorization),
    )


@router.get("/oauth/jwks", operation_id="oauth_jwks")
async def jwks(call: Anonymous) -> Json[KeySet]:
    """Get the public keys of access tokens."""
    return answer(KeySet, await runtime.identity.login.routes.publish_keys(call))


@router.get("/oauth/logout", operation_id="oauth_logout", errors="page")
async def oauth_logout(
    call: Anonymous,
    body: Annotated[Parameters[EndSessionRequest], Query()],
    cookie: Annotated[str | None, Header(alias="Cookie")] = None,
) -> Json[None]:
    """Sign a user out at the request of an application."""
    return await runtime.oauth.logout.answer_request(call, body, cookie=cookie)


@router.post("/oauth/logout", operation_id="oauth_logoutForm", errors="page")
async def logout_form(
    call: Anonymous,
    body: Annotated[Parameters[EndSessionForm], Form()],
    cookie: Annotated[str | None, Header(alias="Cookie")] = None,
) -> Json[None]:
    """Answer whether to sign out, or send the request as a form."""
    return await runtime.oauth.logout.answer_post(call, body, cookie=cookie)


@router.get("/.well-known/oauth-authorization-server", operation_id="oauth_metadata")
async def metadata(call: Anonymous) -> Json[ServerMetadata]:
    """Describe the authorization server."""
    return answer(ServerMetadata, await runtime.oauth.metadata.describe_server(call))


@router.get("/.well-known/openid-configuration", operation_id="oauth_metadataOpenId")
async def metadata_open_id(call: Anonymous) -> Json[ServerMetadata]:
    """Describe the authorization server."""
    return answer(ServerMetadata, await runtime.oauth.metadata.describe_server(call))


@router.post("/oauth/par", operation_id="oauth_push", errors="oauth")
async def push(
    call: Anonymous,
    body: Annotated[PushedAuthorization, Form()],
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
) -> Json[PushedAnswer]:
    """Push an authorization request."""
    return answer(
        PushedAnswer,
        await runtime.oauth.authorize.pushed.receive_request(call, body, authorization=authorization),
        status=201,
    )


@router.post("/oauth/register", operation_id="oauth_register", errors="oauth")
async def register(
    call: Anonymous,
    body: ClientRegistration,
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
) -> Json[RegisteredClient]:
    """Register a client."""
    return answer(
        RegisteredClient,
        await runtime.oauth.registration.create_registered_client(call, body, authorization=authorization),
        status=201,
    )


@router.get("/.well-known/oauth-protected-resource", operation_id="oauth_resource")
async def resource(call: Anonymous) -> Json[ResourceMetadata]:
    """Describe the service as a protected resource."""
    return answer(ResourceMetadata, await runtime.oauth.resource_metadata.describe_resource(call))


@router.post("/oauth/revoke", operation_id="oauth_revoke", errors="oauth")
async def revoke(
    call: Anonymous,
    body: Annotated[PresentedToken, Form()],
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
) -> Json[None]:
    """Revoke an access or refresh token."""
    await runtime.oauth.revocation.revoke_token(call, body, authorization=authorization)
    return nothing(status=200)


@router.post("/oauth/token", operation_id="oauth_token", errors="oauth")
async def token(
    call: Anonymous,
    body: Annotated[TokenRequest, Form()],
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
) -> Json[TokenAnswer]:
    """Exchange a code, a refresh token or the secret of a client for tokens."""
    return answer(TokenAnswer, await runtime.oauth.token.issue_token(call, body, authorization=authorization))


@router.get("/oauth/userinfo", operation_id="oauth_userinfo", errors="oauth")
async def userinfo(
    call: Anonymous, authorization: Annotated[str | None, Header(alias="Authorization")] = None
) -> Json[UserInfo]:
    """Get claims about the user of an access token."""
    return answer(UserInfo, await runtime.oauth.userinfo.describe_user(call, authorization=authorization))


@router.post("/oauth/userinfo", operation_id="oauth_userinfoOfForm", errors="oauth")
async def userinfo_of_form(
    call: Anonymous,
    body: Annotated[UserInfoForm, Form()],
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
) -> Json[UserInfo]:
    """Get claims about the user of an access token, which may be in the form."""
    return answer(
        UserInfo, await runtime.oauth.userinfo.describe_user_of_form(call, body, authorization=authorization)
    )


@router.post("/security/permission/check", operation_id="permission_check")
async def check(call: Calling, body: PermissionQuestion) -> Json[PermissionAnswer]:
    """Check a permission and explain the decision."""
    admit(call, (), area="security", domain="self", action="VIEW")
    return answer(PermissionAnswer, await runtime.explain.explanations.check_permission(call, body))


@router.get("/security/permission/effective-rules", operation_id="permission_effectiveRules")
async def effective_rules(call: Calling) -> Json[EffectiveRules]:
    """List the permission rules in force."""
    admit(call, {"admin"}, area="security", domain="permissionRule", action="VIEW")
    return answer(EffectiveRules, await runtime.explain.explanations.list_effective_rules(call))


@router.delete("/security/sessions", operation_id="security_endSessions")
async def end_sessions(call: Calling) -> Json[None]:
    """End all of one's own sessions."""
    admit(call, (), area="security", domain="self", action="DELETE")
    await runtime.oauth.sign_on.own_sessions.end_all(call)
    return nothing()


@router.post("/security/login", operation_id="security_login")
async def login(call: Anonymous, body: LoginRequest) -> Json[LoginAnswer]:
    """Log in with user id and password."""
    return answer(LoginAnswer, await runtime.identity.login.routes.log_in(call, body))


@router.post("/security/logout", operation_id="security_logout")
async def security_logout(call: Calling, body: LogoutRequest) -> Json[None]:
    """Log out."""
    admit(call, (), area="security", domain="self", action="UPDATE")
    await runtime.identity.login.own_account.log_out(call, body)
    return nothing()


@router.get("/security/me", operation_id="security_me")
async def me(call: Calling) -> Json[Caller]:
    """Get the authenticated caller."""
    admit(call, (), area="security", domain="self", action="VIEW")
    return answer(Caller, await runtime.identity.login.routes.describe_caller(call))


@router.post("/security/password", operation_id="security_password")
async def password(
    call: Anonymous,
    body: PasswordChange,
    authorization: Annotated[str | None, Header(alias="Authorization")] = None,
    x_impersonate_subject: Annotated[str | None, Header(alias="X-Impersonate-Subject")] = None,
    x_impersonate_user_id: Annotated[str | None, Header(alias="X-Impersonate-UserId")] = None,
) -> Json[LoginAnswer]:
    """Change one's own password."""
    return answer(
        LoginAnswer,
        await runtime.identity.login.own_account.change_password(
            call,
            body,
            authorization=authorization,
            x_impersonate_subject=x_impersonate_subject,
            x_impersonate_user_id=x_impersonate_user_id,
        ),
    )


@router.post("/security/refresh", operation_id="security_refresh")
async def refresh(call: Anonymous, body: RefreshRequest) -> Json[LoginAnswer]:
    """Exchange a refresh token for new tokens."""
    return answer(LoginAnswer, await runtime.identity.login.routes.refresh(call, body))


@router.get("/security/sessions", operation_id="security_sessions")
async def sessions(
    call: Calling, authorization: Annotated[str | None, Header(alias="Authorization")] = None
) -> Json[SessionList]:
    """List one's own sessions."""
    admit(call, (), area="security", domain="self", action="VIEW")
    return answer(
        SessionList, await runtime.oauth.sign_on.own_sessions.list_own(call, authorization=authorization)
    )


@router.post("/security/users", operation_id="users_create")
async def create(call: Calling, body: UserCreation) -> Json[UserAccount]:
    """Create a user."""
    admit(call, {"admin"}, area="security", domain="users", action="CREATE")
    return answer(UserAccount, await runtime.identity.users.user_routes.create(call, body), status=201)


@router.get("/security/users", operation_id="users_list")
async def users_list(
    call: Calling,
    skip: Annotated[int, Field(ge=0, le=2147483647), Query(alias="skip")] = 0,
    limit: Annotated[int | None, Field(ge=1, le=1000), Query(alias="limit")] = None,
) -> Json[UserPage]:
    """List users."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(UserPage, await runtime.identity.users.user_routes.list_page(call, skip=skip, limit=limit))


@router.post("/security/oauth/clients/{clientId}/credential", operation_id="oauthClients_createCredential")
async def create_credential(
    call: Calling, body: RoleList, client_id: Annotated[str, Path(alias="clientId")]
) -> Json[ClientCredential]:
    """Create the credential of a client."""
    admit(call, {"admin"}, area="security", domain="users", action="CREATE")
    return answer(
        ClientCredential,
        await runtime.oauth.client_routes.create_credential(call, body, client_id=client_id),
        status=201,
    )


@router.post(
    "/security/oauth/clients/{clientId}/rotate-secret",
    operation_id="oauthClients_rotateSecret",
    terms="terms",
)
async def rotate_secret(
    call: Calling, body: SecretRotation, terms: KeyTerms, client_id: Annotated[str, Path(alias="clientId")]
) -> Json[ClientSecret]:
    """Create another secret of a client."""
    admit(call, {"admin"}, area="security", domain="oauthClient", action="UPDATE")
    return answer(ClientSecret, await runtime.oauth.client_routes.rotate(call, body, client_id=client_id))


@router.get("/.well-known/oauth-authorization-server/{issuerPath}", operation_id="oauth_metadataOfIssuer")
async def metadata_of_issuer(
    call: Anonymous, issuer_path: Annotated[str, Path(alias="issuerPath")]
) -> Json[ServerMetadata]:
    """Describe the authorization server by issuer path."""
    return answer(ServerMetadata, await runtime.oauth.metadata.describe_server(call, issuer_path=issuer_path))


@router.get("/.well-known/openid-configuration/{issuerPath}", operation_id="oauth_metadataOpenIdOfIssuer")
async def metadata_open_id_of_issuer(
    call: Anonymous, issuer_path: Annotated[str, Path(alias="issuerPath")]
) -> Json[ServerMetadata]:
    """Describe the authorization server by issuer path."""
    return answer(ServerMetadata, await runtime.oauth.metadata.describe_server(call, issuer_path=issuer_path))


@router.get("/.well-known/oauth-protected-resource/{resourcePath}", operation_id="oauth_resourceAtPath")
async def resource_at_path(
    call: Anonymous, resource_path: Annotated[str, Path(alias="resourcePath")]
) -> Json[ResourceMetadata]:
    """Describe the service as a protected resource by resource path."""
    return answer(
        ResourceMetadata,
        await runtime.oauth.resource_metadata.describe_resource(call, resource_path=resource_path),
    )


@router.get("/security/permission/decision/{id}", operation_id="permission_decision")
async def decision(call: Calling, id_: Annotated[str, Path(alias="id")]) -> Json[DecisionTold]:
    """Explain a refusal by its decisionId."""
    admit(call, {"admin"}, area="security", domain="decision", action="VIEW")
    return answer(DecisionTold, await runtime.explain.explanations.explain_decision(call, id_=id_))


@router.delete("/security/sessions/{id}", operation_id="security_endSession")
async def end_session(call: Calling, id_: Annotated[str, Path(alias="id")]) -> Json[None]:
    """End one of one's own sessions."""
    admit(call, (), area="security", domain="self", action="DELETE")
    await runtime.oauth.sign_on.own_sessions.end_one(call, id_=id_)
    return nothing()


@router.put("/security/users/subject/{subject}/roles", operation_id="users_assignRolesBySubject")
async def assign_roles_by_subject(
    call: Calling, body: RoleList, subject: Annotated[str, Path(alias="subject")]
) -> Json[RoleList]:
    """Assign roles to a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    return answer(
        RoleList, await runtime.identity.users.user_routes.assign_roles(call, body, subject=subject)
    )


@router.put("/security/users/userId/{userId}/roles", operation_id="users_assignRolesByUserId")
async def assign_roles_by_user_id(
    call: Calling, body: RoleList, user_id: Annotated[str, Path(alias="userId")]
) -> Json[RoleList]:
    """Assign roles to a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    return answer(
        RoleList, await runtime.identity.users.user_routes.assign_roles(call, body, user_id=user_id)
    )


@router.delete(
    "/security/users/subject/{subject}/impersonation", operation_id="users_disableImpersonationBySubject"
)
async def disable_impersonation_by_subject(
    call: Calling, subject: Annotated[str, Path(alias="subject")]
) -> Json[None]:
    """Revoke impersonation from a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="DELETE")
    await runtime.identity.users.user_routes.disable_impersonation(call, subject=subject)
    return nothing()


@router.delete(
    "/security/users/userId/{userId}/impersonation", operation_id="users_disableImpersonationByUserId"
)
async def disable_impersonation_by_user_id(
    call: Calling, user_id: Annotated[str, Path(alias="userId")]
) -> Json[None]:
    """Revoke impersonation from a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="DELETE")
    await runtime.identity.users.user_routes.disable_impersonation(call, user_id=user_id)
    return nothing()


@router.delete(
    "/security/users/subject/{subject}/realmOverride", operation_id="users_disableRealmOverrideBySubject"
)
async def disable_realm_override_by_subject(
    call: Calling, subject: Annotated[str, Path(alias="subject")]
) -> Json[None]:
    """Revoke access to other realms from a user by subject."""
    admit(call, {"system"}, area="security", domain="users", action="DELETE")
    await runtime.identity.users.user_routes.disable_realm_override(call, subject=subject)
    return nothing()


@router.delete(
    "/security/users/userId/{userId}/realmOverride", operation_id="users_disableRealmOverrideByUserId"
)
async def disable_realm_override_by_user_id(
    call: Calling, user_id: Annotated[str, Path(alias="userId")]
) -> Json[None]:
    """Revoke access to other realms from a user by user id."""
    admit(call, {"system"}, area="security", domain="users", action="DELETE")
    await runtime.identity.users.user_routes.disable_realm_override(call, user_id=user_id)
    return nothing()


@router.put(
    "/security/users/subject/{subject}/impersonation", operation_id="users_enableImpersonationBySubject"
)
async def enable_impersonation_by_subject(
    call: Calling, body: ImpersonationGrant, subject: Annotated[str, Path(alias="subject")]
) -> Json[None]:
    """Grant impersonation to a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.enable_impersonation(call, body, subject=subject)
    return nothing()


@router.put("/security/users/userId/{userId}/impersonation", operation_id="users_enableImpersonationByUserId")
async def enable_impersonation_by_user_id(
    call: Calling, body: ImpersonationGrant, user_id: Annotated[str, Path(alias="userId")]
) -> Json[None]:
    """Grant impersonation to a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.enable_impersonation(call, body, user_id=user_id)
    return nothing()


@router.put(
    "/security/users/subject/{subject}/realmOverride", operation_id="users_enableRealmOverrideBySubject"
)
async def enable_realm_override_by_subject(
    call: Calling, body: RealmOverrideGrant, subject: Annotated[str, Path(alias="subject")]
) -> Json[None]:
    """Grant access to other realms to a user by subject."""
    admit(call, {"system"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.enable_realm_override(call, body, subject=subject)
    return nothing()


@router.put("/security/users/userId/{userId}/realmOverride", operation_id="users_enableRealmOverrideByUserId")
async def enable_realm_override_by_user_id(
    call: Calling, body: RealmOverrideGrant, user_id: Annotated[str, Path(alias="userId")]
) -> Json[None]:
    """Grant access to other realms to a user by user id."""
    admit(call, {"system"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.enable_realm_override(call, body, user_id=user_id)
    return nothing()


@router.get("/security/users/subject/{subject}/exists", operation_id="users_existsBySubject")
async def exists_by_subject(
    call: Calling, subject: Annotated[str, Path(alias="subject")]
) -> Json[UserExistence]:
    """Check the existence of a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(
        UserExistence, await runtime.identity.users.user_routes.check_existence(call, subject=subject)
    )


@router.get("/security/users/userId/{userId}/exists", operation_id="users_existsByUserId")
async def exists_by_user_id(
    call: Calling, user_id: Annotated[str, Path(alias="userId")]
) -> Json[UserExistence]:
    """Check the existence of a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(
        UserExistence, await runtime.identity.users.user_routes.check_existence(call, user_id=user_id)
    )


@router.get("/security/users/subject/{subject}", operation_id="users_getBySubject")
async def get_by_subject(call: Calling, subject: Annotated[str, Path(alias="subject")]) -> Json[UserAccount]:
    """Get a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(UserAccount, await runtime.identity.users.user_routes.get(call, subject=subject))


@router.get("/security/users/userId/{userId}", operation_id="users_getByUserId")
async def get_by_user_id(call: Calling, user_id: Annotated[str, Path(alias="userId")]) -> Json[UserAccount]:
    """Get a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(UserAccount, await runtime.identity.users.user_routes.get(call, user_id=user_id))


@router.get("/security/users/subject/{subject}/roles", operation_id="users_getRolesBySubject")
async def get_roles_by_subject(
    call: Calling, subject: Annotated[str, Path(alias="subject")]
) -> Json[RoleList]:
    """Get the roles of a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(RoleList, await runtime.identity.users.user_routes.list_roles(call, subject=subject))


@router.get("/security/users/userId/{userId}/roles", operation_id="users_getRolesByUserId")
async def get_roles_by_user_id(
    call: Calling, user_id: Annotated[str, Path(alias="userId")]
) -> Json[RoleList]:
    """Get the roles of a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(RoleList, await runtime.identity.users.user_routes.list_roles(call, user_id=user_id))


@router.get("/security/users/userId/{userId}/subject", operation_id="users_getSubjectByUserId")
async def get_subject_by_user_id(
    call: Calling, user_id: Annotated[str, Path(alias="userId")]
) -> Json[UserNames]:
    """Get the subject of a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(UserNames, await runtime.identity.users.user_routes.find_names(call, user_id=user_id))


@router.get("/security/users/subject/{subject}/userId", operation_id="users_getUserIdBySubject")
async def get_user_id_by_subject(
    call: Calling, subject: Annotated[str, Path(alias="subject")]
) -> Json[UserNames]:
    """Get the user id of a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="VIEW")
    return answer(UserNames, await runtime.identity.users.user_routes.find_names(call, subject=subject))


@router.delete("/security/users/subject/{subject}", operation_id="users_removeBySubject")
async def remove_by_subject(call: Calling, subject: Annotated[str, Path(alias="subject")]) -> Json[None]:
    """Remove a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="DELETE")
    await runtime.identity.users.user_routes.remove(call, subject=subject)
    return nothing()


@router.delete("/security/users/userId/{userId}", operation_id="users_removeByUserId")
async def remove_by_user_id(call: Calling, user_id: Annotated[str, Path(alias="userId")]) -> Json[None]:
    """Remove a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="DELETE")
    await runtime.identity.users.user_routes.remove(call, user_id=user_id)
    return nothing()


@router.delete("/security/users/subject/{subject}/roles", operation_id="users_removeRolesBySubject")
async def remove_roles_by_subject(
    call: Calling,
    subject: Annotated[str, Path(alias="subject")],
    roles: Annotated[str, Field(max_length=4096, min_length=1), Query(alias="roles")],
) -> Json[RoleList]:
    """Remove roles from a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="DELETE")
    return answer(
        RoleList, await runtime.identity.users.user_routes.remove_roles(call, subject=subject, roles=roles)
    )


@router.delete("/security/users/userId/{userId}/roles", operation_id="users_removeRolesByUserId")
async def remove_roles_by_user_id(
    call: Calling,
    user_id: Annotated[str, Path(alias="userId")],
    roles: Annotated[str, Field(max_length=4096, min_length=1), Query(alias="roles")],
) -> Json[RoleList]:
    """Remove roles from a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="DELETE")
    return answer(
        RoleList, await runtime.identity.users.user_routes.remove_roles(call, user_id=user_id, roles=roles)
    )


@router.put("/security/users/subject/{subject}/password", operation_id="users_resetPasswordBySubject")
async def reset_password_by_subject(
    call: Calling, body: PasswordReset, subject: Annotated[str, Path(alias="subject")]
) -> Json[None]:
    """Reset the password of a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.reset_password(call, body, subject=subject)
    return nothing()


@router.put("/security/users/userId/{userId}/password", operation_id="users_resetPasswordByUserId")
async def reset_password_by_user_id(
    call: Calling, body: PasswordReset, user_id: Annotated[str, Path(alias="userId")]
) -> Json[None]:
    """Reset the password of a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.reset_password(call, body, user_id=user_id)
    return nothing()


@router.put("/security/users/subject/{subject}/disabled", operation_id="users_setDisabledBySubject")
async def set_disabled_by_subject(
    call: Calling, body: UserStatus, subject: Annotated[str, Path(alias="subject")]
) -> Json[None]:
    """Disable or enable a user by subject."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.set_status(call, body, subject=subject)
    return nothing()


@router.put("/security/users/userId/{userId}/disabled", operation_id="users_setDisabledByUserId")
async def set_disabled_by_user_id(
    call: Calling, body: UserStatus, user_id: Annotated[str, Path(alias="userId")]
) -> Json[None]:
    """Disable or enable a user by user id."""
    admit(call, {"admin"}, area="security", domain="users", action="UPDATE")
    await runtime.identity.users.user_routes.set_status(call, body, user_id=user_id)
    return nothing()
