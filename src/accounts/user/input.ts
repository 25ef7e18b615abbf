/** Inputs of the user mutations. The graph's inputs have this shape. */
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

/** Input of a registration. */
export type RegisterInput = Pick<UserInput, 'fullName' | 'about'> & {
  readonly name: string;
  readonly email: string;
  /** Not with `catalog.auth.confirm_email`. */
  readonly password?: Maybe<string>;
};

/** Undefined keeps a field; null clears a text and keeps all others. */
export interface UpdateUserInput extends UserInput {
  readonly user: string;
  readonly name?: Maybe<string>;
  readonly expectedVersion?: Maybe<number>;
}
