const NAME = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;

/** True for a callback that is a plain function name, dots allowed: nothing else is ever put in front of an answer. */
export const isCallback = (name: string): boolean => name.length <= 100 && NAME.test(name);

/** The body of a JSONP answer. The comment in front keeps the text from being read as another file format. */
export const jsonp = (callback: string, json: string): string =>
  `/**/${callback}(${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')});`;
