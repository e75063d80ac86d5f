import { clsx } from 'clsx'
import { Download, Import, Receipt, X } from 'lucide-react'
import { type ChangeEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { formatUsdc, microUsdc } from '#domain/money.ts'
import { maxRunBytes, maxRunRows, runColumns } from '#domain/runs/row.ts'
import { runTemplate } from '#domain/runs/template.ts'
import { runTitle } from '#domain/runs/texts.ts'
import { Button } from '#web/components/Button.tsx'
import { controlClass, Field } from '#web/components/Field.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { formatAmount, plural } from '#web/lib/format.ts'
import { useDebounced } from '#web/lib/useDebounced.ts'
import { decodeFile, readRows } from '#web/queries/runs.ts'
import { type NewRun, problemOf, saveTemplate } from './newRun.ts'

const limits = `Up to ${plural(maxRunRows, 'row')} and ${maxRunBytes / 1024} kB`
const columnsText = `Columns: ${runColumns.join(', ')}. Under “to” goes an address, an email, a phone number or contact:Name.`

/** Takes the rows: a file that is chosen or dropped anywhere, or pasted text. Reads them at once, as the API will. */
export function RowsField({ form }: { form: UseFormReturn<NewRun> }) {
  const { csv, fileName } = form.watch()
  const [isPasting, setPasting] = useState(csv !== '' && fileName === '')
  const { error } = form.getFieldState('csv', form.formState)
  const reading = useReading(csv)
  const take = useFile(form, () => setPasting(false))
  const clear = () => {
    form.setValue('csv', '')
    form.setValue('fileName', '')
    form.clearErrors('csv')
  }
  const problem = error?.message ?? reading?.problem
  return (
    <div className="space-y-2">
      {isPasting ? (
        <Field label="Rows" error={problem} hint={`${limits}. The first line names the columns. ${columnsText}`}>
          {(control) => (
            <textarea
              {...control}
              {...form.register('csv')}
              rows={8}
              spellCheck={false}
              autoComplete="off"
              placeholder={runTemplate.trimEnd()}
              className={clsx(controlClass, 'h-44! resize-y whitespace-pre py-2 font-mono text-small leading-5')}
            />
          )}
        </Field>
      ) : (
        <Field label="File" error={problem} hint={csv === '' && columnsText}>
          {(control) =>
            csv === '' ? <FileChoice control={control} onFile={take} /> : <Chosen name={fileName} onRemove={clear} />
          }
        </Field>
      )}
      {reading?.found && !problem && <Found {...reading.found} />}
      <div className="flex flex-wrap gap-x-4">
        <Small
          onClick={() => {
            form.setValue('fileName', '')
            setPasting(!isPasting)
          }}
        >
          {isPasting ? 'Choose a file instead' : csv === '' ? 'Paste rows instead' : 'Edit as text'}
        </Small>
        <Small onClick={saveTemplate}>
          <Download aria-hidden="true" className="size-4" />
          Download template
        </Small>
      </div>
    </div>
  )
}

const Small = (props: { onClick: () => void; children: ReactNode }) => (
  <Button look="quiet" className="-mx-2 h-8! gap-1.5! px-2! text-green! text-small pointer-coarse:h-11!" {...props} />
)

type Control = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }

/** Spreadsheets can be chosen too, so that people are told how to save them. */
const accepted = '.csv,.tsv,.txt,text/csv,text/plain,.xlsx,.xls,.ods,.numbers'

function FileChoice({ control, onFile }: { control: Control; onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false)
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    target.value = '' // the same file may be chosen again after it was mended
    if (file) onFile(file)
  }
  return (
    <label
      onDragEnter={() => setOver(true)}
      onDragLeave={({ currentTarget, relatedTarget }) =>
        currentTarget.contains(relatedTarget as Node | null) || setOver(false)
      }
      className={clsx(
        'relative flex flex-col items-center gap-1 rounded-control border border-dashed px-4 py-7 text-center outline-offset-2 has-focus-visible:outline-2 has-focus-visible:outline-green',
        isOver ? 'border-green bg-green-tint' : 'border-control bg-paper hover:bg-sunken',
      )}
    >
      <Import aria-hidden="true" className="mb-1 size-6 text-green" />
      <span>
        <span className="font-medium text-green underline underline-offset-3">Choose a CSV file</span>
        <span className="pointer-coarse:hidden"> or drop it here</span>
      </span>
      <span className="text-muted text-small">{limits}</span>
      <input {...control} type="file" accept={accepted} data-first="" onChange={onChange} className="sr-only" />
    </label>
  )
}

const Chosen = (props: { name: string; onRemove: () => void }) => (
  <div className="flex items-center gap-3 rounded-control border border-hairline bg-paper py-2 pr-2 pl-3">
    <Receipt aria-hidden="true" className="size-5 shrink-0 text-green" />
    <span className="wrap-anywhere min-w-0 flex-1 font-medium">{props.name || 'Pasted rows'}</span>
    <IconButton label="Remove file" onClick={props.onRemove}>
      <X aria-hidden="true" className="size-4" />
    </IconButton>
  </div>
)

/** Takes a file that is chosen, or dropped anywhere: a browser would leave the page for one that is dropped beside the field. */
function useFile(form: UseFormReturn<NewRun>, onTaken: () => void): (file: File) => Promise<void> {
  const take = async (file: File) => {
    // Before the file is read, which may take seconds: by then, somebody may be typing a title.
    const title = form.getValues('title') ? null : file.name.replace(/\.\w+$/, '').slice(0, runTitle.max)
    if (title) form.setValue('title', title)
    form.setValue('csv', '')
    form.setValue('fileName', file.name)
    const read = await decodeFile(file).catch(
      () => ({ ok: false, message: 'It could not be read. Try again.' }) as const,
    )
    onTaken()
    form.clearErrors('csv')
    const problem = !read.ok ? read.message : read.csv.trim() ? null : 'The file is empty.'
    if (!read.ok || problem) {
      form.setValue('fileName', '')
      if (form.getValues('title') === title) form.setValue('title', '')
      return form.setError('csv', { message: `${file.name}: ${problem}` })
    }
    form.setValue('csv', read.csv)
  }
  const onDrop = useEffectEvent((event: DragEvent) => {
    event.preventDefault()
    const file = event.dataTransfer?.files[0]
    if (file) void take(file)
  })
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => onDrop(event)
    addEventListener('dragover', allow)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', allow)
      removeEventListener('drop', drop)
    }
  }, [])
  return take
}

type Summary = { payments: number; total: string; problems: { line: number; problem: string }[] }
type Reading = { problem?: string; found?: Summary }

/** What the text contains; null until it is read. */
function useReading(csv: string): Reading | null {
  const text = useDebounced(csv)
  const [reading, setReading] = useState<Reading | null>(null)
  const latest = useRef(text)
  useEffect(() => {
    latest.current = text
    if (text.trim() === '') return setReading(null)
    const show = (read: Awaited<ReturnType<typeof readRows>>) => {
      if (latest.current !== text) return
      setReading(read.ok ? { found: summaryOf(read.rows) } : { problem: problemOf(read) })
    }
    // Without the parser, the API says it.
    readRows(text).then(show, () => setReading(null))
  }, [text])
  return reading
}

type ReadRows = Extract<Awaited<ReturnType<typeof readRows>>, { ok: true }>['rows']
function summaryOf(rows: ReadRows): Summary {
  const readable = rows.flatMap(({ row }) => (row ? [row] : []))
  const total = readable.reduce<bigint>((sum, { amount }) => sum + amount, 0n)
  return {
    payments: readable.length,
    total: formatAmount(formatUsdc(microUsdc(total))),
    problems: rows.flatMap(({ line, problem }) => (problem === null ? [] : [{ line, problem }])),
  }
}

const shownProblems = 3

function Found({ payments, total, problems }: Summary) {
  const more = problems.length - shownProblems
  return (
    <div role="status" className="text-small">
      <p>
        {plural(payments, 'payment')}, {total} USDC
        {problems.length > 0 && (
          <span className="text-red">; {plural(problems.length, 'row has a problem', 'rows have a problem')}:</span>
        )}
      </p>
      {problems.length > 0 && (
        <ul className="mt-1 space-y-1 text-muted">
          {problems.slice(0, shownProblems).map(({ line, problem }) => (
            <li key={line} className="wrap-anywhere">
              Line {line}: {problem}
            </li>
          ))}
          {more > 0 && <li>{plural(more, 'more is', 'more are')} listed once the rows are uploaded.</li>}
        </ul>
      )}
    </div>
  )
}
