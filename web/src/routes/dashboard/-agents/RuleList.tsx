import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import type { Path, UseFormReturn } from 'react-hook-form'
import { isSingle, type Rule } from '#domain/rules/rule.ts'
import { anyRules, inputsOf, type RuleField, rulesFromWire, rulesInWords } from '#domain/rules/values.ts'
import { Button } from '#web/components/Button.tsx'
import { Input } from '#web/components/Field.tsx'
import { useSms } from '#web/queries/config.ts'
import type { GroupValues } from './groupForm.ts'
import { ownerWords } from './policyWords.ts'
import { RuleInput } from './RuleInput.tsx'
import { proposedOf, ruleProblems, type TypedRules, wireRulesOf } from './ruleForm.ts'

const sections = { limits: 'Limits', approvals: 'Ask me first' }

/** The rules of the group that are on, each with its sentence, and a search for more. */
export function RuleList({ form }: { form: UseFormReturn<GroupValues> }) {
  const sms = useSms()
  const typed = form.watch('rules')
  const isOn = ({ field }: Rule) => typed[field as RuleField] !== null
  const set = (rule: Rule, value: TypedRules[RuleField]) => {
    form.clearErrors(pathOf(rule))
    form.setValue(pathOf(rule), value as never, { shouldDirty: true })
  }
  const off = anyRules.filter((rule) => !isOn(rule) && (sms || rule.field !== 'phoneCodes'))
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 font-medium text-small">Rules</legend>
      <p className="text-muted text-small">
        They apply in addition to the budget. Payments that wait for your approval reserve nothing.
      </p>
      {anyRules.filter(isOn).map((rule) => (
        <RuleCard key={rule.field} form={form} rule={rule} onRemove={() => set(rule, null)} />
      ))}
      {off.length > 0 && (
        <AddRule
          rules={off}
          onAdd={(rule) => {
            set(rule, proposedOf(rule))
            const [name, { kind }] = inputsOf(rule)[0]!
            const first = kind === 'hosts' ? `${name}.0.pattern` : name
            // Once its inputs are there.
            requestAnimationFrame(() => form.setFocus(`${pathOf(rule)}.${first}` as Path<GroupValues>))
          }}
        />
      )}
    </fieldset>
  )
}

const pathOf = ({ field }: Rule) => `rules.${field}` as Path<GroupValues>

function RuleCard(props: { form: UseFormReturn<GroupValues>; rule: Rule; onRemove: () => void }) {
  const { form, rule } = props
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-control border border-hairline px-3 pt-2 pb-3">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 id={id} className="font-medium text-small">
            {rule.title}
          </h3>
          <p className="wrap-anywhere text-muted text-small">{sentenceOf(rule, form.watch('rules')) ?? rule.hint}</p>
        </div>
        <button
          type="button"
          aria-label={`Remove: ${rule.title}`}
          onClick={props.onRemove}
          className="-mr-2 flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-11"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      </div>
      {!(isSingle(rule.inputs) && rule.inputs.kind === 'switch') && (
        <div className="mt-2 space-y-3">
          {inputsOf(rule).map(([name, input]) => (
            <RuleInput key={name} form={form} name={`${pathOf(rule)}.${name}` as Path<GroupValues>} input={input} />
          ))}
        </div>
      )}
    </section>
  )
}

/** The rule in words as typed; null while it is not valid. */
function sentenceOf(rule: Rule, typed: TypedRules): string | null {
  const alone = Object.fromEntries(
    Object.entries(typed).map(([field, inputs]) => [field, field === rule.field ? inputs : null]),
  ) as TypedRules
  if (Object.keys(ruleProblems(alone)).length > 0) return null
  return rulesInWords(rulesFromWire(wireRulesOf(alone)), ownerWords)[0]?.sentence ?? null
}

function AddRule(props: { rules: Rule[]; onAdd: (rule: Rule) => void }) {
  const [open, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const id = useId()
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = props.rules.filter((rule) => {
    const inputs = inputsOf(rule).map(([, { label, hint }]) => `${label} ${hint}`)
    const text = [rule.title, rule.hint, ...Object.values(rule.names), ...inputs].join(' ')
    return words.every((word) => text.toLowerCase().includes(word))
  })
  const close = () => {
    setOpen(false)
    setSearch('')
  }
  /** Not the dialog around it. */
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  if (!open)
    return (
      <Button look="secondary" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" className="size-4" />
        Add a rule
      </Button>
    )
  return (
    <div className="space-y-2 rounded-control border border-hairline p-3">
      <Input
        type="search"
        aria-label="Search rules"
        aria-controls={id}
        placeholder="Search rules"
        autoComplete="off"
        autoFocus
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={(event) => {
          closeOnEscape(event)
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found.length !== 1) return
          props.onAdd(found[0]!)
          close()
        }}
      />
      <div id={id} className="max-h-64 overflow-y-auto">
        {Object.entries(sections).map(([section, title]) => {
          const own = found.filter((rule) => rule.section === section)
          if (own.length === 0) return null
          return (
            <fieldset key={section}>
              <legend className="px-2 pt-1 text-muted text-small">{title}</legend>
              {own.map((rule) => (
                <button
                  key={rule.field}
                  type="button"
                  onKeyDown={closeOnEscape}
                  onClick={() => {
                    props.onAdd(rule)
                    close()
                  }}
                  className="block min-h-8 w-full rounded-control px-2 py-1 text-left hover:bg-sunken pointer-coarse:min-h-11"
                >
                  {rule.title}
                </button>
              ))}
            </fieldset>
          )
        })}
        {found.length === 0 && <p className="px-2 py-1 text-muted text-small">No rule matches.</p>}
      </div>
      <Button look="quiet" onClick={close}>
        Close
      </Button>
    </div>
  )
}
