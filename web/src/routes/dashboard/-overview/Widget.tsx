import {
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  ChevronUp,
  GripVertical,
  type LucideIcon,
  MoveHorizontal,
  MoveVertical,
  X,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import type { MenuItem } from '#web/components/ActionMenuPopup.tsx'
import { IconButton } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { type LayoutItem, type Move, moveWidget, resizeWidget } from './layout.ts'
import { WidgetTitle } from './WidgetParts.tsx'
import { widgets } from './widgets.ts'

const moves: [Move, LucideIcon][] = [
  ['left', ChevronLeft],
  ['right', ChevronRight],
  ['up', ChevronUp],
  ['down', ChevronDown],
]

/** A widget's frame. When unlocked, it has a drag handle, a menu to move and resize by keyboard, and a remove button. */
export function Widget(props: {
  item: LayoutItem
  items: LayoutItem[]
  unlocked: boolean
  draggable: boolean
  onChange: (items: LayoutItem[]) => void
  onRemove: () => void
  children: ReactNode
}) {
  const { item, items } = props
  const { name } = widgets[item.type]
  const [title, setTitle] = useState<string | null>(null)
  const act = (label: string, icon: LucideIcon, next: LayoutItem[]): MenuItem => ({
    label,
    icon,
    disabled: next.every((one, i) => same(one, items[i]!)),
    onSelect: () => props.onChange(next),
  })
  return (
    <Card aria-label={name} className="@container flex h-full min-h-0 flex-1 flex-col overflow-hidden">
      <div className="flex min-h-8 items-center gap-1 px-4 pt-3 [&>button]:-my-2">
        {props.draggable && (
          <span className="drag -ml-2 flex size-8 shrink-0 cursor-grab touch-none items-center justify-center text-muted active:cursor-grabbing">
            <GripVertical aria-hidden="true" className="size-4" />
          </span>
        )}
        <h2 className="line-clamp-2 min-w-0 flex-1 font-medium text-muted text-small">{title ?? name}</h2>
        {props.unlocked && (
          <>
            <ActionMenu
              label={`Move or resize ${name}`}
              items={[
                ...moves.map(([move, icon]) => act(`Move ${move}`, icon, moveWidget(items, item.id, move))),
                act('Wider', MoveHorizontal, resizeWidget(items, item.id, { w: 1 })),
                act('Narrower', MoveHorizontal, resizeWidget(items, item.id, { w: -1 })),
                act('Taller', MoveVertical, resizeWidget(items, item.id, { h: 1 })),
                act('Shorter', MoveVertical, resizeWidget(items, item.id, { h: -1 })),
              ]}
            />
            <IconButton label={`Remove ${name}`} className="-mr-2" onClick={props.onRemove}>
              <X aria-hidden="true" className="size-4" />
            </IconButton>
          </>
        )}
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 pb-3">
        <WidgetTitle value={setTitle}>{props.children}</WidgetTitle>
      </div>
    </Card>
  )
}

const same = (a: LayoutItem, b: LayoutItem) => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h
