"""Sign in, save, list and delete a record with the client of openapi-python-client."""

import os

from openapi_python_client_out.api.carrier import (
    carrier_bulk,
    carrier_count,
    carrier_list_records,
    carrier_save,
)
from openapi_python_client_out.api.security import security_login
from openapi_python_client_out.client import AuthenticatedClient, Client
from openapi_python_client_out.models import (
    BulkAnswer,
    BulkDelete,
    Carrier,
    CarrierBulk,
    CarrierInput,
    CarrierInputMode,
    CarrierPage,
    LoginAnswer,
    LoginRequestInput,
    Problem,
)

url, ref_name = os.environ["SERVICE_URL"], os.environ["SERVICE_REF_NAME"]
request = LoginRequestInput(user_id=os.environ["SERVICE_USER"], password=os.environ["SERVICE_PASSWORD"])
login = security_login.sync(client=Client(base_url=url), body=request)
assert isinstance(login, LoginAnswer), login
client = AuthenticatedClient(base_url=url, token=login.access_token)
body = CarrierInput(ref_name=ref_name, name="Tagus", mode=CarrierInputMode.RAIL)
saved = carrier_save.sync(client=client, body=body)
assert isinstance(saved, Carrier), saved
page = carrier_list_records.sync(client=client, filter_=f"refName:{ref_name}")
assert isinstance(page, CarrierPage), page
assert page.rows[0].display_name == "Tagus"
done = carrier_bulk.sync(client=client, body=CarrierBulk(operations=[BulkDelete(op="delete", id=saved.id)]))
assert isinstance(done, BulkAnswer), done
assert done.deleted == 1
wrong = carrier_count.sync(client=client, filter_="nam:x")
assert isinstance(wrong, Problem), wrong
assert wrong.code == "field.unknown"
