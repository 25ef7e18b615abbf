/** `npm start`: prepares the checkout and serves, in this process. */
import { launch } from './launch.mjs';
import { prepare } from './prepare.mjs';

await prepare();
await launch('src/main.js');
