"""Sign in, save, list and delete a record with the client of openapi-generator."""

import json
import os

from openapi_client import (
    ApiClient,
    BulkDelete,
    CarrierApi,
    CarrierBulk,
    CarrierBulkOperationsInner,
    CarrierInput,
    Configuration,
    LoginRequestInput,
    SecurityApi,
)
from openapi_client.exceptions import BadRequestException

url, ref_name = os.environ["SERVICE_URL"], os.environ["SERVICE_REF_NAME"]
request = LoginRequestInput(userId=os.environ["SERVICE_USER"], password=os.environ["SERVICE_PASSWORD"])
login = SecurityApi(ApiClient(Configuration(host=url))).security_login(request)
carriers = CarrierApi(ApiClient(Configuration(host=url, access_token=login.access_token)))
saved = carriers.carrier_save(CarrierInput(refName=ref_name, name="Tagus", mode="RAIL"))
page = carriers.carrier_list_records(filter=f"refName:{ref_name}")
assert page.rows[0].display_name == "Tagus"
gone = CarrierBulkOperationsInner(BulkDelete(op="delete", id=saved.id))
assert carriers.carrier_bulk(CarrierBulk(operations=[gone])).deleted == 1
code = ""
try:
    carriers.carrier_count(filter="nam:x")
except BadRequestException as error:
    code = json.loads(error.body or "")["code"]
assert code == "field.unknown", code
