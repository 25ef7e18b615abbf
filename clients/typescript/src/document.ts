/** The text of an operation, with the types of its data and variables. The types exist for the compiler only. */
export interface Document<Data, Variables> {
  readonly text: string;
  readonly types?: (variables: Variables) => Data;
}
