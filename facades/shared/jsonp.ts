const NAME = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;

/** True for a plain function name, with dots: nothing else may precede a response. */
export const isCallback = (name: string): boolean => name.length <= 100 && NAME.test(name);

/** Body of a JSONP response. The leading comment prevents interpretation as another file format. */
export const jsonp = (callback: string, json: string): string =>
  `/**/${callback}(${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')});`;
