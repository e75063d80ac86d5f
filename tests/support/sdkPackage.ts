/** The SDK as npm would publish it, installed in a folder of its own. */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { within } from './patience.ts'

const exec = promisify(execFile)
const sdk = join(import.meta.dirname, '../../sdk')

let installed: ReturnType<typeof install> | undefined

/** Packs the SDK and runs `npm i` with it in an empty folder, once for all files of a run. */
export function installPackage() {
  installed ??= install()
  return installed
}

async function install() {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-sdk-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', folder], { cwd: sdk })
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ]
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await exec('npm', ['i', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: folder })
  return {
    folder,
    files: files.map(({ path }) => path),
    /** Runs a program in the folder. Never throws. */
    async run(program: string, args: string[], env: Record<string, string> = {}) {
      const child = exec(program, args, {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', ...env },
        ...within(60_000),
      })
      const done = await child.catch((error: { code: number; stdout: string; stderr: string }) => error)
      return { code: 'code' in done ? done.code : 0, stdout: done.stdout, stderr: done.stderr }
    },
  }
}
