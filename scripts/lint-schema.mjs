/**
 * Lints the SDL with graphql-eslint. Its packages are installed into .cache/npm, because they need other versions of the packages that
 * generate code. Prints the faults, and fails if there are any.
 */
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXCEPTIONS, RULES } from '../schema/lint.mjs';
import { installNpm } from './npm.mjs';
import { root } from './stamp.mjs';

const PREFIX = '@graphql-eslint/';

const folder = await installNpm({ '@graphql-eslint/eslint-plugin': '4.4.1', eslint: '9.39.5', graphql: '16.15.0' });
const { resolve } = createRequire(join(folder, 'package.json'));
const load = async (name) => (await import(pathToFileURL(resolve(name)))).default;
const [plugin, { ESLint }] = [await load('@graphql-eslint/eslint-plugin'), await load('eslint')];
const { rules: schemaRules } = plugin.configs['flat/schema-all'];
const { rules: relayRules } = plugin.configs['flat/schema-relay'];
const ownRules = Object.fromEntries(Object.entries(RULES).map(([name, value]) => [PREFIX + name, value]));

const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ['**/*.graphql'],
      plugins: { '@graphql-eslint': plugin },
      languageOptions: {
        parser: plugin.parser,
        parserOptions: { graphQLConfig: { schema: join(root, 'schema/*.graphql') } },
      },
      rules: { ...schemaRules, ...relayRules, ...ownRules },
    },
  ],
});

const used = new Set();
const isException = (file, { ruleId, message, line }, lines) =>
  EXCEPTIONS.some((exception) => {
    if (file !== exception.file || ruleId !== PREFIX + exception.rule) return false;
    const name = exception.names.find((it) => message.includes(`"${it}"`) || lines[line - 1].includes(it));
    if (name) used.add(`${file} ${name}`);
    return name !== undefined;
  });

const faults = (await eslint.lintFiles(['schema/*.graphql'])).flatMap(({ filePath, messages, source }) => {
  const file = relative(join(root, 'schema'), filePath);
  const lines = (source ?? '').split('\n');
  return messages
    .filter((message) => !isException(file, message, lines))
    .map(({ line, message, ruleId }) => `schema/${file}:${line} ${message} (${ruleId})`);
});
const unused = EXCEPTIONS.flatMap(({ file, names }) =>
  names
    .filter((name) => !used.has(`${file} ${name}`))
    .map((name) => `schema/lint.mjs: ${name} in ${file} is no exception`),
);
const all = [...faults, ...unused];
if (all.length > 0) console.log(all.join('\n'));
process.exitCode = all.length > 0 ? 1 : 0;
