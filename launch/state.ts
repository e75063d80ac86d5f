/** What a launch stores about one deployment, in a folder that git ignores and only its owner can read. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Saved = {
  /** Completed steps, with their time and note. */
  steps: Record<string, { at: string; note: string }>
  values: Record<string, string>
}

export type State = {
  folder: string
  /** A path in the folder. */
  path(...parts: string[]): string
  steps(): Saved['steps']
  noteStep(name: string, note: string): void
  get(name: string): string | undefined
  set(name: string, value: string): void
  /** Writes a file in the folder unless it already has this content. Returns whether it was written. */
  write(name: string, content: string): boolean
}

/** The folder is created at the first write. */
export function openState(folder: string): State {
  const file = join(folder, 'state.json')
  const saved = (): Saved =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Saved) : { steps: {}, values: {} }
  const change = (edit: (now: Saved) => void) => {
    const now = saved()
    const before = JSON.stringify(now)
    edit(now)
    if (JSON.stringify(now) !== before) replace(file, `${JSON.stringify(now, null, 2)}\n`)
  }
  return {
    folder,
    path: (...parts) => join(folder, ...parts),
    steps: () => saved().steps,
    noteStep: (name, note) =>
      change(({ steps }) => {
        steps[name] = { at: new Date().toISOString(), note }
      }),
    get: (name) => saved().values[name],
    set: (name, value) =>
      change(({ values }) => {
        values[name] = value
      }),
    write(name, content) {
      const path = join(folder, name)
      if (existsSync(path) && readFileSync(path, 'utf8') === content) return false
      replace(path, content)
      return true
    },
  }
}

/** Atomic: an interrupted launch leaves the previous content. */
function replace(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, content, { mode: 0o600 })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}
