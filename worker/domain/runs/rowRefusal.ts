/** Whether a refused row of a run has failed for good, or waits. */
export {}
