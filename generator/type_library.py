"""The one place that runs datamodel-code-generator. It takes long to load: only a run with new types does."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from datamodel_code_generator import GenerateConfig, InputFileType, LiteralType, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import Formatter, PythonVersion

Schema = dict[str, Any]

_CONFIG = GenerateConfig(
    input_file_type=InputFileType.OpenAPI,
    output_model_type=DataModelType.PydanticV2BaseModel,
    target_python_version=PythonVersion.PY_311,
    use_annotated=True,
    field_constraints=True,
    strict_nullable=True,
    snake_case_field=True,
    no_alias=True,
    enum_field_as_literal=LiteralType.All,
    use_standard_collections=True,
    use_union_operator=True,
    keep_model_order=True,
    disable_timestamp=True,
    disable_future_imports=True,
    formatters=[Formatter.BUILTIN],
    external_ref_mapping={"inner.json": "inner"},
)


def write_types(schemas: Sequence[Schema]) -> tuple[list[str], dict[str, str]]:
    """Write the annotation of each schema; return them, and the modules of the names in them."""
    properties = {f"t{number}": one for number, one in enumerate(schemas)}
    module = ast.parse(str(generate(_document(properties), config=_CONFIG)))
    written, modules = dict.fromkeys(properties, ""), dict[str, str]()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module != "inner":
            modules |= {one.name: str(node.module) for one in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            written[node.target.id] = ast.unparse(node.annotation)
    return list(written.values()), modules


def _document(properties: Mapping[str, Schema]) -> Schema:
    types = {"type": "object", "properties": dict(properties), "required": list(properties)}
    info = {"title": "types", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": {"Types": types}}}
