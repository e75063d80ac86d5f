/** A status's colour: success, in progress, failure or neutral. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral'
