/** The copies that revisions leave of documents (ruling 12), as the last step of a statement that writes many of them. */

/** Ends a statement whose CTE `written` returns rows of dataset_document; `revision` and `at` are its parameters. */
export const keepCopies = (revision: string, at: string): string =>
  `INSERT INTO dataset_history (dataset_id, revision_id, created_at, version, document, name, state, private, owner_organization_id, creator_id)
    SELECT dataset_id, ${revision}, ${at}, version, document, name, state, private, owner_organization_id, creator_id FROM written`;
