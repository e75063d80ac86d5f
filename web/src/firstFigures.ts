/**
 * Shows the total balance before the page's code is there: a picture of the top of the overview, drawn by a small script of
 * its own (web/preloads.ts) from the answers of the last visit and the replies to the first calls. The page replaces it.
 */
import type { PublicConfig } from '#schemas/account.ts'
import type { Success } from '#schemas/common.ts'
import type { Overview } from '#schemas/overview.ts'
import type { Preferences } from '#schemas/preferences.ts'
import { actingFor, type OtherAccount } from './lib/actingFor.ts'
import { keptAnswers } from './lib/answerStorage.ts'
import { cutAmount, formatAmount } from './lib/decimals.ts'
import { unitOf } from './lib/networks.ts'
import { browserStorage } from './lib/storage.ts'
import { storedUser } from './lib/tokens.ts'

/** What the picture shows, in the order of the calls. */
type Answers = [config: PublicConfig, preferences: Preferences, overview: Overview]
const keys: string[] = ['config', 'preferences', 'overview']

const page = document.getElementById('root')!
const user = storedUser()?.id
let shown: Element | null = null
/** Whether the page has been drawn: whatever loads after that is another page, or the same one again. */
let isOver = false

/** Shows the answers of the last visit. Resolves once they are painted, or there are none. */
export async function showLastFigures(): Promise<void> {
  const kept = new Map(keptAnswers().map(([key, data]) => [key.join(), data]))
  if (!keys.every((key) => kept.has(key))) return
  show(keys.map((key) => kept.get(key)) as Answers, true)
  await painted()
}

/** Shows the `replies` to the calls that `keys` name, which the page reads too. */
export async function showFigures(replies: Promise<Response>[]): Promise<void> {
  show((await Promise.all(replies.map(dataOf))) as Answers, false)
}

function show([config, preferences, overview]: Answers, isKept: boolean): void {
  if (isOver || isDrawn() || location.pathname !== '/dashboard/overview') return
  if (storedUser()?.id !== user || !isFirst(preferences)) return
  const next = picture(overview, config, isKept)
  if (shown) shown.replaceWith(next)
  else document.body.append(next)
  shown = next
}

const observer = new MutationObserver(() => {
  if (!isDrawn()) return
  isOver = true
  observer.disconnect()
  shown?.remove()
})
observer.observe(page, { childList: true, subtree: true })

/** A hidden page paints nothing until it is shown. */
const painted = () =>
  new Promise<void>((resolve) => {
    if (document.hidden) resolve()
    else requestAnimationFrame(() => setTimeout(resolve))
  })

/** Whether the page shows the balance itself, or anything else than that it is loading. */
const isDrawn = () =>
  page.querySelector('[data-testid=total-balance]') !== null ||
  (page.firstChild !== null && page.querySelector('.appear-late') === null)

async function dataOf(reply: Promise<Response>): Promise<unknown> {
  const response = await reply
  if (!response.ok) throw new Error(`no figures: ${response.status}`)
  return ((await response.clone().json()) as Success<unknown>).data
}

/** Whether the balance is the first widget, in its usual size, so that the page shows it in the same place. */
const isFirst = ({ dashboardWidgets: items }: Preferences) =>
  !items || items.some(({ type, x, y, w, h }) => type === 'total-balance' && x === 0 && y === 0 && w === 3 && h === 2)

/** Keeps the height of a line. */
const blank = '\u00a0'

/** As the page draws it (Shell.tsx, TopBar.tsx, PageHeader, WidgetGrid.tsx), without anything that could be used. */
function picture(overview: Overview, config: PublicConfig, isKept: boolean): Element {
  const { totalBalance, balanceAsOf, held } = overview
  const isCurrent = !isKept && balanceAsOf === null
  const value = `$${cutAmount(totalBalance)}`
  const unit = unitOf(config.primaryChain)
  const mark = document.querySelector('#boot svg')!.cloneNode(true) as Element
  mark.setAttribute('class', 'size-6 text-green')
  const balance = element(
    'whitespace-nowrap',
    `${value} `,
    element('inline font-normal text-small text-muted @max-3xs:block', unit),
  )
  balance.dataset.testid = 'first-balance'
  const figure = element('flex min-h-10 items-center font-semibold text-fit', balance)
  figure.style.setProperty('--digits', String(value.length))
  const note = held === '0' ? 'Nothing held for payments' : `$${formatAmount(held)} held for payments`
  const [beside, hidden] = classesBesideMenu[browserStorage.get('menu_pinned') ?? 'default'] ?? ['', '']
  const acting = actingFor()
  const all = element(
    `fixed inset-0 z-40 overflow-hidden bg-paper ${beside}`,
    element(
      'border-hairline border-b',
      element(
        `mx-auto flex max-w-[1248px] items-center gap-3 px-4 max-[340px]:gap-1 sm:h-14 sm:px-6 ${acting ? 'max-sm:min-h-14 max-sm:flex-wrap max-sm:gap-y-0.5 max-sm:py-1.5' : 'h-14'}`,
        element(`-ml-2 size-10 pointer-coarse:size-11 ${hidden}`),
        element('flex items-center gap-2 font-semibold tracking-tight', mark, 'Bursar'),
        ...(acting ? [whose(acting)] : []),
      ),
    ),
    element(
      'mx-auto max-w-[1248px] px-4 py-6 sm:px-6',
      element(
        'mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3',
        element(
          'flex items-baseline gap-3',
          element('font-semibold text-title', 'Overview'),
          element('text-muted text-small', isCurrent ? '' : 'Syncing...'),
        ),
        element('flex flex-wrap gap-3 max-sm:gap-2 max-sm:*:grow', space('Unlock layout'), space('Add Widget')),
      ),
      element(
        '@container',
        element(
          'grid grid-cols-2 gap-4 @min-[480px]:grid-cols-4 @min-[768px]:grid-cols-6 @min-[996px]:grid-cols-12',
          element(
            '@container flex h-44 flex-col overflow-hidden rounded-card border border-green/20 bg-green-tint @min-[480px]:col-span-2 @min-[768px]:col-span-3',
            element('flex min-h-8 items-center px-4 pt-3 font-medium text-muted text-small', 'Total Balance'),
            element(
              'flex flex-1 flex-col px-4 pb-3',
              figure,
              element(
                'mt-auto text-pretty text-muted text-small',
                isCurrent ? note : blank,
                element('@max-3xs:hidden', blank),
              ),
            ),
          ),
        ),
      ),
    ),
  )
  all.setAttribute('aria-hidden', 'true') // the page itself follows, with headings and links
  return all
}

/** As WhoseAccount in TopBar.tsx. */
const whose = (account: OtherAccount) =>
  element(
    'min-w-0 truncate rounded-control bg-sunken px-3 py-1 text-small max-sm:order-last max-sm:basis-full',
    element('inline font-medium', account.name ?? account.ownerEmail),
    element('inline text-muted', account.name === null ? '' : ` ${account.ownerEmail}`),
  )

/** For the page beside a pinned menu, and for the button that opens the menu, by what is stored (-shell/pinnedMenu.ts). */
const classesBesideMenu: Record<string, [beside: string, hidden: string]> = {
  true: ['xl:pl-60', 'xl:hidden'],
  default: ['min-[1440px]:pl-60', 'min-[1440px]:hidden'],
}

/** The space of a button with an icon. */
const space = (label: string) =>
  element('invisible flex h-control shrink-0 gap-2 px-4 font-medium', element('size-4'), label)

function element(className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement('div')
  made.className = className
  made.append(...children)
  return made
}
