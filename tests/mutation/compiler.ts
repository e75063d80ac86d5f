import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import solc from 'solc'
import { root } from '../../local/tools/runTool.ts'

/** Texts by path, as solc names it (`src/Relay.sol`, `@openzeppelin/…`). */
export type Sources = Record<string, string>

/** A node of solc's syntax tree. `src` is `start:length:file`, in bytes. */
export type AstNode = { nodeType: string; src: string } & Record<string, unknown>

/** The part of forge's output for a contract that `deployCode` needs. */
export type Artifact = { abi: unknown[]; bytecode: { object: string }; deployedBytecode: { object: string } }

/** A contract that tests deploy, by the name of its file. */
export type Target = { path: string; name: string }

const importedPaths = /^import\s+(?:[^"';]*\sfrom\s+)?"([^"]+)";/gm

/** The sources in `folder` of contracts/, and all that they import. */
export function readSources(folder: 'src' | 'probe'): Sources {
  const sources: Sources = {}
  const add = (path: string) => {
    if (path in sources) return
    const text = readFileSync(fileOf(path), 'utf8')
    sources[path] = text
    for (const imported of importsOf(path, text)) add(imported)
  }
  for (const file of readdirSync(join(root, 'contracts', folder))) if (file.endsWith('.sol')) add(`${folder}/${file}`)
  return sources
}

/** `path` and all that it imports, directly or indirectly. */
export function importClosure(sources: Sources, path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  for (const imported of importsOf(path, sources[path]!)) importClosure(sources, imported, found)
  return found
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(importedPaths)].map(([, name]) =>
    name!.startsWith('.') ? posix.join(posix.dirname(path), name!) : name!,
  )
}

function fileOf(path: string): string {
  const inContracts = join(root, 'contracts', path)
  return existsSync(inContracts) ? inContracts : join(root, 'node_modules', path)
}

export function parse(sources: Sources): Record<string, AstNode> {
  const output = run(sources, { '*': { '': ['ast'] } })
  if (!output.sources) throw new Error(`solc: ${output.errors?.map((error) => error.formattedMessage).join('\n')}`)
  return Object.fromEntries(Object.entries(output.sources).map(([path, { ast }]) => [path, ast]))
}

/**
 * Compiles `targets` without the optimizer, which keeps the structure of the source and is fast. Returns null if the
 * sources do not compile.
 */
export function compile(sources: Sources, targets: Target[]): Map<string, Artifact> | null {
  const selection: Selection = {}
  for (const { path, name } of targets)
    selection[path] = { [name]: ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] }
  const { errors = [], contracts } = run(sources, selection)
  if (errors.some(({ severity }) => severity === 'error')) return null
  const artifactOf = ({ path, name }: Target): Artifact => {
    const { abi, evm } = contracts![path]![name]!
    const code = (object: string) => ({ object: `0x${object}` })
    return {
      abi,
      bytecode: code(evm.bytecode.object),
      deployedBytecode: code(evm.deployedBytecode.object),
    }
  }
  return new Map(targets.map((target) => [target.name, artifactOf(target)]))
}

type Selection = Record<string, Record<string, string[]>>
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  sources?: Record<string, { ast: AstNode }>
  contracts?: Record<
    string,
    Record<string, { abi: unknown[]; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >
}

function run(sources: Sources, outputSelection: Selection): Output {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings: {
      evmVersion: 'osaka',
      optimizer: { enabled: false },
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection,
    },
  }
  return JSON.parse(solc.compile(JSON.stringify(input))) as Output
}
