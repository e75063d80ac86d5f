import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { controlClass } from './Field.tsx'

export const Select = (props: ComponentProps<'select'>) => (
  <select {...props} className={clsx(controlClass, 'pr-8', props.className)} />
)
