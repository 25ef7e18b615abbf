/** Checks answers of actions against openapi.json. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { actions } from '../../facades/action/actions.ts';
import { findAction } from '../../facades/action/help.ts';
import { openapiDocument } from '../../facades/action/openapi/document.ts';

/** The whole openapi.json, as a site with these statuses serves it. */
export const describeApi = (statuses: 'contract' | 'http', readsForms = false) =>
  openapiDocument({
    actions,
    title: 'Test',
    version: '0',
    siteUrl: 'http://catalog.test',
    statuses,
    readsForms,
    keyHeader: 'X-CATALOG-API-Key',
    paths: {},
  });

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
let added = false;
const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string, result: object): ValidateFunction {
  if (!added) ajv.addSchema({ $id: 'api', components: describeApi('http').components });
  added = true;
  if (!validators.has(name)) {
    const text = JSON.stringify(result).replaceAll('"#/components/', '"api#/components/');
    validators.set(name, ajv.compile(JSON.parse(text)));
  }
  return validators.get(name)!;
}

/** The difference between an answer of an action and its description; null if there is none. */
export function undescribed(name: string, body: unknown): string | null {
  const row = findAction(actions, name);
  if (!row || typeof body !== 'object' || body === null) return null;
  const { success, result } = body as { success?: unknown; result?: unknown };
  const [key, schema, value] =
    success === true ? [name, row.answers ?? {}, result] : ['failure', { $ref: '#/components/schemas/Failure' }, body];
  const validate = validatorOf(key, schema);
  if (validate(value)) return null;
  const faults = validate.errors!.slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return `${name} answers otherwise than openapi.json says: ${faults.join('; ')}\n${JSON.stringify(value)?.slice(0, 1000)}`;
}
