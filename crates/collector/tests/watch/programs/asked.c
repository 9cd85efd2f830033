/* Is linked with asks.c's library. */
void ask(void);

int main(void) {
    ask();
    return 0;
}
