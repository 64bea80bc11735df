// Runs the conformance suite and judges it by the files it wrote, because its own exit status
// says nothing of scenarios that it does not score.
//
//   node conformance.mjs SUITE URL DIR
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const runs = [
  { name: 'requirements-2025-11-25', list: ['--requirements', '2025-11-25'] },
  { name: 'requirements-2026-07-28', list: ['--requirements', '2026-07-28'] },
  { name: 'all-2025-11-25', list: ['--spec-version', '2025-11-25'], flags: ['--suite', 'all'] },
  { name: 'all-2026-07-28', list: ['--spec-version', '2026-07-28'], flags: ['--suite', 'all'] },
];

// Extensions that the server does not implement.
const unsupported = /^(tasks|sep-2640)-/;

const [suite, url, dir] = process.argv.slice(2);

function run(...args) {
  const done = spawnSync(process.execPath, [suite, ...args], { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 600_000 });
  if (done.error) throw done.error;
  return done;
}

// The names of the scenarios that a run must have results of: the server's required ones, and
// those that are run beside them without being scored.
function scenarios(flags) {
  const { status, stdout } = run('list', '--server', ...flags);
  const [, required = '', rest = ''] = /^Server scenarios.*\n((?: {2}- .*\n)+)([^]*)$/m.exec(stdout) ?? [];
  const names = [
    ...[...required.matchAll(/^ {2}- (\S+)/gm)].map((m) => m[1]),
    ...[...rest.matchAll(/^ +- (\S+) \[server\]$/gm)].map((m) => m[1]),
  ];
  if (status !== 0 || names.length === 0) throw new Error(`the suite lists no scenarios for ${flags.join(' ')}`);
  return names;
}

const failure = (id, errorMessage) => ({ id, status: 'FAILURE', errorMessage });

function checksIn(file) {
  if (!existsSync(file)) return [failure('no-result', 'the scenario wrote no checks.json')];
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (err) {
    return [failure('bad-result', `${file}: ${err.message}`)];
  }
}

// What each scenario's checks were, also of those that left nothing.
function results(folder, expected) {
  const found = new Map();
  for (const entry of readdirSync(folder)) {
    const [, name] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry) ?? [];
    if (name) found.set(name, checksIn(join(folder, entry, 'checks.json')));
  }
  for (const name of expected) {
    if (!found.has(name)) found.set(name, [failure('not-run', 'the scenario was not run')]);
  }
  return [...found].map(([name, checks]) => ({
    name,
    checks,
    failed: checks.filter((c) => c.status === 'FAILURE'),
    empty: !checks.some((c) => c.status === 'SUCCESS' || c.status === 'FAILURE'),
  }));
}

// What is wrong with the run as such, whatever its scenarios say.
function crash(done, all) {
  if (done.signal) return `the suite was ended by ${done.signal}`;
  if (done.status > 1) return `the suite ended with status ${done.status}`;
  if (done.status === 1 && all.every((s) => s.failed.length === 0)) return 'the suite failed though no check did';
  const has = (s, id) => s.failed.some((c) => c.id === id);
  if (all.some((s) => has(s, 'not-run') || (has(s, 'no-result') && !unsupported.test(s.name)))) return 'scenarios left no result';
  return '';
}

const line = (c) => `${c.id}: ${(c.errorMessage ?? c.description ?? '').replace(/\s+/g, ' ')}`;
const names = (list) => list.map((s) => s.name).join(', ') || 'none';

// The totals are those of what is supported.
function report(name, every) {
  const all = every.filter((s) => !unsupported.test(s.name));
  const count = (status) => all.flatMap((s) => s.checks).filter((c) => c.status === status).length;
  const wrong = all.filter((s) => s.failed.length > 0);
  console.log(`\n${name}: ${all.length} scenarios, ${wrong.length} failed; checks: ${count('SUCCESS')} passed, ` +
    `${count('FAILURE')} failed, ${count('WARNING')} warnings, ${count('SKIPPED')} skipped`);
  for (const s of wrong) {
    console.log(`  FAILED ${s.name}`);
    s.failed.forEach((c) => console.log(`    ${line(c)}`));
  }
  for (const s of all) {
    s.checks.filter((c) => c.status === 'WARNING').forEach((c) => console.log(`  warning ${s.name} ${line(c)}`));
  }
  console.log(`  not supported: ${names(every.filter((s) => unsupported.test(s.name)))}`);
  console.log(`  checked nothing: ${names(all.filter((s) => s.empty))}`);
  return wrong.length;
}

const listed = [...run('list', '--server').stdout.matchAll(/^ {2}- (\S+)/gm)].map((m) => m[1]);
console.log(`\nnot supported, in whatever run: ${listed.filter((name) => unsupported.test(name)).join(', ')}`);

let bad = 0;
for (const { name, list, flags = [] } of runs) {
  const folder = join(dir, name);
  mkdirSync(folder, { recursive: true });
  const done = run('server', '--url', url, ...flags, ...list, '-o', folder);
  const all = results(folder, scenarios(list));
  bad += report(name, all);
  const problem = crash(done, all);
  if (problem) {
    bad += 1;
    console.log(`  ERROR ${problem}; the end of its output:\n${(done.stdout + done.stderr).trimEnd().split('\n').slice(-30).join('\n')}`);
  }
}
console.log(`\nconformance: ${bad === 0 ? 'all supported scenarios pass' : `${bad} failures`}`);
process.exit(bad === 0 ? 0 : 1);
