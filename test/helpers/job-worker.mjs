/** A separate process that runs jobs of the kind `hang`, reports each, and never finishes one: a test kills it. Needs dist/. */

const built = (file) => import(new URL(`../../dist/src/${file}`, import.meta.url).href);
const { openDatabase } = await built('infra/postgres/db.js');
const { startWorker } = await built('jobs/worker.js');
const database = openDatabase({ url: process.argv[2], max: 2 });
await startWorker({
  kinds: {
    hang: {
      run: (_call, job, control) => {
        control.progress(1, 2);
        console.log(`at work on ${job.id}`);
        return new Promise(() => {});
      },
    },
  },
  workers: 1,
  maxPerHost: 2,
  databaseUrl: database.url,
  callNow: () => database,
  keepDays: 1,
  log: console,
  times: JSON.parse(process.argv[3]),
});
