/** The texts of a page for its components. `sendPage` provides them. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Texts, textsOf } from './texts.ts';

export const TextsContext = createContext<Texts>(textsOf('en'));

/** `const { t, day } = useTexts()`. Outside of components: `frame.texts`. */
export const useTexts = (): Texts => useContext(TextsContext);
