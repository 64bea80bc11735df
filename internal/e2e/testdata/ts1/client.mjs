// Connects the official TypeScript client 1.x to a server, see session.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { elicit, job, options, run } from '../session.mjs';

const transport = job.url
  ? new StreamableHTTPClientTransport(new URL(job.url))
  : new StdioClientTransport({ command: job.command[0], args: job.command.slice(1) });

let protocolVersion;
const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  protocolVersion = version;
  setProtocolVersion?.(version);
};

const client = new Client({ name: 'fusion-e2e-ts1', version: '1.0.0' }, options);
client.setRequestHandler(ElicitRequestSchema, elicit);
await client.connect(transport);
await run(client, protocolVersion, (params, opts) => client.callTool(params, undefined, opts));
