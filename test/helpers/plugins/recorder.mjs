/** Apollo plugins of a site for catalog.graphql.plugins: one records hooks, one reports to Apollo's ingress. */
import { ApolloServerPluginUsageReporting } from '@apollo/server/plugin/usageReporting';

/** One entry for each request, in order. */
export const records = [];
/** The server that takes usage reports. */
export const ingress = { url: '' };

const recorder = {
  async requestDidStart({ request, contextValue }) {
    const record = {
      hooks: ['requestDidStart'],
      method: request.http.method,
      client: request.http.headers.get('x-client'),
    };
    records.push(record);
    record.caller = contextValue.call.actor.userId;
    const saw = (hook) => record.hooks.push(hook);
    return {
      didResolveSource: async ({ metrics }) => {
        saw('didResolveSource');
        record.isPersisted = metrics.persistedQueryHit;
      },
      parsingDidStart: async () => void saw('parsingDidStart'),
      validationDidStart: async () => void saw('validationDidStart'),
      didResolveOperation: async ({ operation, operationName }) => {
        saw('didResolveOperation');
        record.operation = operation?.operation;
        record.name = operationName;
      },
      executionDidStart: async () => {
        saw('executionDidStart');
        return { willResolveField: ({ info }) => void (record.fields ??= []).push(info.fieldName) };
      },
      didEncounterErrors: async ({ errors }) => {
        saw('didEncounterErrors');
        record.errors = errors.map(({ message }) => message);
      },
      willSendResponse: async ({ response }) => {
        saw('willSendResponse');
        record.status = response.http.status ?? 200;
        record.codes = response.body.singleResult.errors?.map(({ extensions }) => extensions.code);
      },
    };
  },
};

const reporting = ApolloServerPluginUsageReporting({
  get endpointUrl() {
    return ingress.url; // known only once the server listens
  },
  sendReportsImmediately: true,
  experimental_sendOperationAsTrace: () => true, // not only some of them
  fieldLevelInstrumentation: 1,
});

export default [recorder, reporting];
