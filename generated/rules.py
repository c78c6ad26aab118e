"""The permission rules of the specifications, in force in every realm. Written by the generator; do not edit."""

from runtime.permissions import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        name="user creates records",
        description="Outside the area security, within the scope of the user.",
        identity="user",
        action="CREATE",
        priority=-1003,
    ),
    Rule(name="user deletes records", identity="user", action="DELETE", priority=-1003),
    Rule(name="user updates records", identity="user", action="UPDATE", priority=-1003),
    Rule(name="user views records", identity="user", action="VIEW", priority=-1003),
    Rule(name="user stays out of security", identity="user", area="security", allows=False, priority=-1002),
    Rule(
        name="user views its own user record",
        identity="user",
        area="security",
        domain="credential",
        action="VIEW",
        priority=-1001,
        filter="userId:${principalId}",
    ),
    Rule(
        name="admin does everything",
        description="In the tenant of the administrator; a rule never widens the scope.",
        identity="admin",
        priority=-1000,
    ),
    Rule(
        name="everybody asks about itself",
        description="Read one's own identity, change one's password, log out.",
        area="security",
        domain="self",
        priority=-1000,
    ),
    Rule(name="system does everything", identity="system", priority=-1000, is_final=True),
)
SUBJECTS: dict[tuple[str, str, str], tuple[tuple[str, ...] | None, ...]] = {
    ("security", "authorize", "VIEW"): (None,),
    ("security", "decision", "VIEW"): (("admin",),),
    ("security", "introspect", "VIEW"): (None,),
    ("security", "jwks", "VIEW"): (None,),
    ("security", "login", "VIEW"): (None,),
    ("security", "oauth-authorization-server", "VIEW"): (None,),
    ("security", "oauth-protected-resource", "VIEW"): (None,),
    ("security", "oauthClient", "UPDATE"): (("admin",),),
    ("security", "openid-configuration", "VIEW"): (None,),
    ("security", "par", "VIEW"): (None,),
    ("security", "permissionRule", "VIEW"): (("admin",),),
    ("security", "refresh", "VIEW"): (None,),
    ("security", "register", "CREATE"): (None,),
    ("security", "revoke", "DELETE"): (None,),
    ("security", "self", "UPDATE"): ((), None),
    ("security", "self", "VIEW"): ((),),
    ("security", "token", "VIEW"): (None,),
    ("security", "userinfo", "VIEW"): (None,),
    ("security", "users", "CREATE"): (("admin",),),
    ("security", "users", "DELETE"): (("admin",), ("system",)),
    ("security", "users", "UPDATE"): (("admin",), ("system",)),
    ("security", "users", "VIEW"): (("admin",),),
}
