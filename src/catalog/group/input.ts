/** Inputs of the group and organization mutations, as services see them. undefined: omitted; null: cleared. */
import type { ImageInput } from '../file/image.service.ts';

type Maybe<T> = T | null | undefined;

export interface ExtraInput {
  key: string;
  value: string;
}
export interface UserInput {
  user: string;
  capacity?: Maybe<string>;
}
export interface ParentInput {
  parent: string;
  capacity?: Maybe<string>;
}
export interface DatasetInput {
  id: string;
}

/** Fields that create, replace and patch have in common. */
export interface GroupInput extends ImageInput {
  name?: Maybe<string>;
  title?: Maybe<string>;
  description?: Maybe<string>;
  type?: Maybe<string>;
  approvalStatus?: Maybe<string>;
  state?: Maybe<string>;
  message?: Maybe<string>;
  extras?: Maybe<readonly ExtraInput[]>;
  /** Merged into the extras; null removes one. */
  setExtras?: Maybe<readonly { key: string; value?: Maybe<string> }[]>;
  users?: Maybe<readonly UserInput[]>;
  parents?: Maybe<readonly ParentInput[]>;
  datasets?: Maybe<readonly DatasetInput[]>;
}

export interface CreateGroupInput extends GroupInput {
  databaseId?: Maybe<string>;
  name: string;
}
export interface ChangeGroupInput extends GroupInput {
  expectedVersion?: Maybe<number>;
}
