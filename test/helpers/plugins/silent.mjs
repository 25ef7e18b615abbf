/** An Apollo plugin that does nothing: with it, every operation goes through the pipeline. */
export default {};
