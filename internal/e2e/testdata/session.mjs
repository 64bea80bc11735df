// What each of the TypeScript clients does once it is connected; their APIs are alike.
//
// stdin:  {"command": [path, args…]} or {"url": "…"}, for client 2.x "mode", and either
//         "calls": [{"name": …, "arguments": …}] or "probe": true
// stdout: {"protocolVersion": …, "tools": […], "replies": [{"result": …} or {"error": {code, message}}]}
//         or {"protocolVersion": …, "waits": {…}, "changed": [name…], "progress": [{…}],
//         "accepted": result, "declined": result}
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

export const job = JSON.parse(await text(process.stdin));

// options are for the client: what it can do, and what it does when told of changes.
const changed = Promise.withResolvers();
export const options = {
  capabilities: { elicitation: { form: {} } },
  listChanged: {
    tools: {
      debounceMs: 0,
      onChanged: (error, tools) => (error ? changed.reject(error) : changed.resolve(tools.map((t) => t.name))),
    },
  },
};

// elicit is the handler of elicitation/create.
export async function elicit({ params }) {
  if (params.message === 'decline') return { action: 'decline' };
  return { action: 'accept', content: { name: 'Ada', visits: 2, colour: 'green' } };
}

// run does the job, with callTool(params, options), and prints what it saw.
export async function run(client, protocolVersion, callTool) {
  const seen = job.probe ? await probe(callTool) : await session(client, callTool);
  await client.close();
  process.stdout.write(JSON.stringify({ protocolVersion, ...seen }));
}

async function session(client, callTool) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);

  const replies = [];
  for (const call of job.calls) {
    try {
      replies.push({ result: await callTool(call) });
    } catch (error) {
      if (typeof error.code !== 'number') throw error;
      replies.push({ error: { code: error.code, message: error.message } });
    }
  }
  return { tools, replies };
}

// within bounds what would otherwise be waited for until the test gives up without a word.
async function within(what, promise) {
  const late = setTimeout(20_000, undefined, { ref: false }).then(() => { throw new Error(`no ${what} within 20 s`); });
  return Promise.race([promise, late]);
}

async function probe(callTool) {
  const waits = async (wanted) => {
    for (;;) {
      const { structuredContent } = await callTool({ name: 'probe_waits' });
      if (wanted(structuredContent)) return structuredContent;
    }
  };
  const stop = new AbortController();
  const waiting = callTool({ name: 'probe_wait' }, { signal: stop.signal }).then(
    (result) => { throw new Error(`the call was answered: ${JSON.stringify(result)}`); },
    () => {},
  );
  await within('call', waits((seen) => seen.begun === 1));
  stop.abort();
  await waiting;
  const seen = await within('cancellation', waits((counts) => counts.cancelled === 1));
  await callTool({ name: 'probe_open' });
  const news = await within('news of the list', changed.promise);

  const progress = [];
  const onprogress = (report) => {
    progress.push(report);
    void callTool({ name: 'probe_step' });
  };
  await within('end of the count', callTool({ name: 'probe_count' }, { onprogress }));
  const ask = (message) => within('answer', callTool({ name: 'probe_ask', arguments: { message } }));
  return { waits: seen, changed: news, progress, accepted: await ask('accept'), declined: await ask('decline') };
}
