/** Published after every mebibyte of output: the position up to which the output goes, in bytes (`pace_output.py`). */
export const markType = 'fenced_mark'

/** Sent when everything up to a mark was taken. */
export const acknowledgeType = 'fenced_acknowledge'

/** Asks a kernel on `control` whether it runs the code of a cell (`tell_running.py`). The reply has {@link isRunningName}. */
export const askRunningType = 'fenced_ask_running'

/** Name of a boolean in the content of the reply. */
export const isRunningName = 'is_running'

/** Makes a kernel publish the output of its cell from now on, and the output that it has kept (`reply_with_output.py`). */
export const publishType = 'fenced_publish'

/** Name of the output of a short cell in the metadata of its reply. */
export const outputName = 'fenced_output'
