/** The text of an operation, with the types of what it asks for and of its variables; the types are there for the compiler only. */
export interface Document<Data, Variables> {
  readonly text: string;
  readonly types?: (variables: Variables) => Data;
}
