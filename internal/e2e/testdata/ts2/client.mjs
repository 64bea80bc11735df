// Connects the official TypeScript client 2.x to a server, see session.mjs.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { elicit, job, options, run } from '../session.mjs';

const transport = job.url
  ? new StreamableHTTPClientTransport(new URL(job.url))
  : new StdioClientTransport({ command: job.command[0], args: job.command.slice(1) });

const client = new Client(
  { name: 'fusion-e2e-ts2', version: '1.0.0' },
  { ...options, versionNegotiation: { mode: job.mode } },
);
client.setRequestHandler('elicitation/create', elicit);
await client.connect(transport);
await run(client, client.getNegotiatedProtocolVersion(), (params, opts) => client.callTool(params, opts));
