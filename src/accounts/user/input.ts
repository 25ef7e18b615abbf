/** What callers give to make and change users; the graph's inputs have this shape. */
import type { ImageInput } from '../../catalog/file/image.service.ts';

type Maybe<T> = T | null | undefined;

interface UserInput extends ImageInput {
  readonly email?: Maybe<string>;
  readonly password?: Maybe<string>;
  readonly fullName?: Maybe<string>;
  readonly about?: Maybe<string>;
  readonly openId?: Maybe<string>;
  readonly emailNotifications?: Maybe<boolean>;
  readonly sysadmin?: Maybe<boolean>;
  readonly state?: Maybe<string>;
}

export interface CreateUserInput extends UserInput {
  readonly name: string;
  readonly databaseId?: Maybe<string>;
  readonly apiKey?: Maybe<string>;
}

/** What people who make their own account give. */
export type RegisterInput = Pick<UserInput, 'fullName' | 'about'> & {
  readonly name: string;
  readonly email: string;
  readonly password: string;
};

/** Undefined keeps; null clears a text and keeps the rest. */
export interface PatchUserInput extends UserInput {
  readonly user: string;
  readonly name?: Maybe<string>;
  readonly expectedVersion?: Maybe<number>;
}
