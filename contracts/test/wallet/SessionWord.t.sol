// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SessionWord} from "../../src/SessionWord.sol";
import {Signing} from "../base/Signing.sol";

contract SessionWordTest is Signing {
    using SessionWord for uint256;

    uint256 private constant MAX_AMOUNT = (1 << 37) - 1;

    function testFuzz_word_keepsEveryField(address key, uint40 validUntil, uint16 day, uint256 amount, uint8 flags)
        public
        pure
    {
        amount = bound(amount, 0, MAX_AMOUNT);
        flags = uint8(flags % 8);
        uint256 word = SessionWord.pack(key, validUntil, SessionWord.packGrants(day, amount), flags);

        vm.assertEq(word.key(), key);
        vm.assertEq(word.validUntil(), validUntil);
        vm.assertEq(word.grants(), SessionWord.packGrants(day, amount));
        vm.assertEq(word.grantedOn(day), amount);
        vm.assertEq(word.has(SessionWord.ROTATION_DISABLED), flags & 1 != 0);
        vm.assertEq(word.has(SessionWord.REVOKED), flags & 2 != 0);
        vm.assertEq(word.has(SessionWord.ROTATED), flags & 4 != 0);
    }

    function testFuzz_grantedOn_isZeroOnAnotherDay(uint16 day, uint16 other, uint256 amount) public pure {
        vm.assume(day != other);
        uint256 word = SessionWord.pack(address(1), 1, SessionWord.packGrants(day, amount), 0);
        vm.assertEq(word.grantedOn(other), 0);
    }

    function testFuzz_packGrants_capsTheAmount(uint256 day, uint256 amount) public pure {
        amount = bound(amount, MAX_AMOUNT, type(uint256).max);
        uint256 word = SessionWord.pack(address(1), 1, SessionWord.packGrants(day, amount), 0);
        vm.assertEq(word.grantedOn(day), MAX_AMOUNT);
    }
}
