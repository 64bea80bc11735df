// Connects the official TypeScript client to a server, lists the tools and makes calls.
//
// stdin:  {"command": [path, args…]} or {"url": "…"}, and "calls": [{"name": …, "arguments": …}]
// stdout: {"protocolVersion": …, "tools": […], "replies": [{"result": …} or {"error": {code, message}}]}
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const job = JSON.parse(await text(process.stdin));
const transport = job.url
  ? new StreamableHTTPClientTransport(new URL(job.url))
  : new StdioClientTransport({ command: job.command[0], args: job.command.slice(1) });

let protocolVersion;
const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  protocolVersion = version;
  setProtocolVersion?.(version);
};

const client = new Client({ name: 'fusion-e2e-ts1', version: '1.0.0' });
await client.connect(transport);

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
    replies.push({ result: await client.callTool(call) });
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    replies.push({ error: { code: error.code, message: error.message } });
  }
}
await client.close();
process.stdout.write(JSON.stringify({ protocolVersion, tools, replies }));
