/** Stores a copy of each changed document per revision (ruling 12), as the last step of a bulk statement. */

/** Ends a statement whose CTE `written` returns rows of dataset_document; `revision` and `at` are its parameters. */
export const keepCopies = (revision: string, at: string): string =>
  `INSERT INTO dataset_history (dataset_id, revision_id, created_at, version, document, name, state, private, owner_organization_id, creator_id)
    SELECT dataset_id, ${revision}, ${at}, version, document, name, state, private, owner_organization_id, creator_id FROM written`;
