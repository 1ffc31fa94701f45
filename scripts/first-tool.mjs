// Carries out "Your first tool" of the README in a fresh clone, just as it stands there. Plain Node, no dependency.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'pawl-first-tool-'));
const clone = join(folder, 'clone');

/** The code of the fenced block whose opening line ends with `label`. */
function block(readme, label) {
  const start = readme.indexOf(` ${label}\n`);
  if (start < 0) throw new Error(`README has no block "${label}"`);
  const code = readme.slice(start + label.length + 2);
  return code.slice(0, code.indexOf('```'));
}

function sh(command) {
  return execFileSync('bash', ['-c', command], { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

execFileSync('git', ['clone', '-q', root, clone]);
try {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8');
  const toolFile = 'src/tools/roll-dice.ts';
  const agentFile = join(clone, 'src/agents/demo.ts');
  writeFileSync(join(clone, toolFile), block(readme, `file=${toolFile}`));
  const line = block(readme, 'line=src/agents/demo.ts');
  const name = line.trim().replace(',', '');
  const agent = readFileSync(agentFile, 'utf8');
  const list = 'tools: [\n';
  if (!agent.includes(list)) throw new Error(`src/agents/demo.ts has no "${list.trim()}" to add a line to`);
  const imported = `import { ${name} } from '../tools/${basename(toolFile)}';\n`;
  writeFileSync(agentFile, imported + agent.replace(list, list + line));
  const output = sh(block(readme, 'run'));
  process.stdout.write(output);
  if (!/✓ roll_dice .*\[[1-6],[1-6]\]/.test(output)) throw new Error('the tool was not called as the README says');
  process.stdout.write('first tool: works as the README says\n');
} finally {
  sh('npm run -s pawl -- down || true');
  rmSync(folder, { recursive: true, force: true });
}
