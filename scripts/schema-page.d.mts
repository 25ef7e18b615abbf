/** docs/schema.md for the models that scripts/data-model.mjs writes. @throws Error when a model is in no part */
export function schemaPage(dataModel: object): string;
