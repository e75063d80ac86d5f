// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SessionWordProbe} from "../../probe/SessionWordProbe.sol";
import {Signing} from "../base/Signing.sol";

contract SessionWordTest is Signing {
    uint256 private constant MAX_AMOUNT = (1 << 37) - 1;
    SessionWordProbe private _word;

    function setUp() public {
        _word = SessionWordProbe(deploy("SessionWordProbe", ""));
    }

    /// @dev Days beyond 16 bits, from the year 2149 on, are truncated and must not change the other fields.
    function testFuzz_word_keepsEveryField(address key, uint40 validUntil, uint256 day, uint256 amount, uint8 flags)
        public
        view
    {
        amount = bound(amount, 0, MAX_AMOUNT);
        flags = uint8(flags % 8);
        uint256 word = _word.pack(key, validUntil, _word.packGrants(day, amount), flags);

        vm.assertEq(_word.key(word), key);
        vm.assertEq(_word.validUntil(word), validUntil);
        vm.assertEq(_word.grants(word), _word.packGrants(day, amount));
        vm.assertEq(_word.grantedOn(word, day), amount);
        vm.assertEq(_word.has(word, 1), flags & 1 != 0);
        vm.assertEq(_word.has(word, 2), flags & 2 != 0);
        vm.assertEq(_word.has(word, 4), flags & 4 != 0);
    }

    function testFuzz_grantedOn_isZeroOnAnotherDay(uint16 day, uint16 other, uint256 amount) public view {
        vm.assume(day != other);
        uint256 word = _word.pack(address(1), 1, _word.packGrants(day, amount), 0);
        vm.assertEq(_word.grantedOn(word, other), 0);
    }

    function testFuzz_packGrants_capsTheAmount(uint256 day, uint256 amount) public view {
        amount = bound(amount, MAX_AMOUNT, type(uint256).max);
        uint256 word = _word.pack(address(1), 1, _word.packGrants(day, amount), 0);
        vm.assertEq(_word.grantedOn(word, day), MAX_AMOUNT);
    }
}
