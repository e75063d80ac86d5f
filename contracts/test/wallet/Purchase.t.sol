// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {Base} from "../base/Base.sol";

/// @dev Purchases: what `isValidSignature` confirms, and what USDC then pays.
contract PurchaseTest is Base {
    bytes4 private constant YES = 0x1626ba7e;
    bytes4 private constant NO = 0xffffffff;
    uint16 private constant ALLOWANCE = 50;
    uint256 private constant OTHER = 0x07e2;

    function setUp() public override {
        super.setUp();
        wallet = create("buyer", ALLOWANCE);
        mint(address(wallet), FUNDS);
    }

    function _buy() private pure returns (Buy memory) {
        return Buy({to: RECIPIENT, value: 1e6, validBefore: START + 300, class: 2, number: 0});
    }

    function _digest(Buy memory buy) private view returns (bytes32) {
        return purchaseDigest(address(usdc), address(wallet), wallet.state().epoch, buy);
    }

    function _answer(bytes32 hash, bytes memory signature) private view returns (bytes4) {
        return wallet.isValidSignature(hash, signature);
    }

    /// @dev The wallet's answer to a purchase that `key` signed.
    function _answer(uint256 key, Buy memory buy) private view returns (bytes4) {
        bytes32 digest = _digest(buy);
        return _answer(digest, packPurchase(key, digest, buy));
    }

    function _expect(bytes4 actual, bytes4 expected) private pure {
        vm.assertEq(bytes32(actual), bytes32(expected));
    }

    /// @dev Submits the signed purchase to USDC. Returns whether it paid.
    function _settle(Buy memory buy, uint32 epoch, bytes memory signature) private returns (bool paid) {
        (paid,) = address(usdc).call(
            abi.encodeWithSignature(
                "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                wallet,
                buy.to,
                buy.value,
                0,
                buy.validBefore,
                purchaseNonce(epoch, buy),
                signature
            )
        );
    }

    function _signed(Buy memory buy) private view returns (bytes memory) {
        return packPurchase(SESSION, _digest(buy), buy);
    }

    function test_purchase_pays_once_andLeavesTheSessionAsItWas() public {
        AgentWallet.State memory before = wallet.state();
        Buy memory buy = _buy();
        bytes memory signature = _signed(buy);
        vm.assertTrue(_settle(buy, 1, signature), "refused");
        vm.assertEq(usdc.balanceOf(RECIPIENT), 1e6);
        vm.assertFalse(_settle(buy, 1, signature), "paid twice");

        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.balance, before.balance - 1e6);
        state.balance = before.balance;
        vm.assertEq(keccak256(abi.encode(state)), keccak256(abi.encode(before)));
    }

    /// @dev Whatever the agent's key signs: exactly what the classes, the allowance and the time permit is confirmed.
    function testFuzz_isValidSignature_equalsTheRules(uint16 allowance, Buy memory buy, uint256 seed) public {
        // Mostly near the bounds.
        allowance = seed % 4 == 0 ? allowance : uint16(allowance % 12);
        uint256 cap = [uint256(10_000), 100_000, 1_000_000][buy.class % 3];
        uint256 count = [uint256(allowance) * 10, uint256(allowance) * 3, uint256(allowance) * 3 / 5][buy.class % 3];
        if (seed % 5 != 0) buy.class = buy.class % 3;
        if (seed % 3 != 0) buy.value = uint64(cap - 2 + buy.value % 4);
        if (seed % 7 != 0) buy.number = uint32(count < 3 ? buy.number % 4 : count - 3 + buy.number % 5);
        if (seed % 11 != 0) buy.validBefore = uint48(START + 298 + buy.validBefore % 4);
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), uint64(allowance) * 1e6, allowance, VALID_UNTIL);

        bool permitted =
            buy.class < 3 && buy.value <= cap && buy.number < count && buy.validBefore <= uint256(START) + 300;
        _expect(_answer(SESSION, buy), permitted ? YES : NO);
    }

    function test_isValidSignature_hasThreeClasses_whichShareTheAllowance() public {
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), 5e6, 5, VALID_UNTIL);
        uint64[3] memory caps = [uint64(0.01e6), 0.1e6, 1e6];
        uint32[3] memory counts = [uint32(50), 15, 3];
        for (uint8 class = 0; class < 3; ++class) {
            for (uint32 number = 0; number <= counts[class]; ++number) {
                Buy memory buy = Buy(RECIPIENT, caps[class], START + 300, class, number);
                vm.assertEq(_settle(buy, 2, _signed(buy)), number < counts[class], "another count");
            }
        }
        vm.assertEq(usdc.balanceOf(RECIPIENT), 5e6);
        vm.assertEq(wallet.state().remaining, 0);
    }

    function testFuzz_classes_neverExceedTheAllowance(uint16 allowance) public pure {
        uint256 a = allowance;
        vm.assertLe(10 * a * 0.01e6 + 3 * a * 0.1e6 + ((3 * a) / 5) * 1e6, a * 1e6);
    }

    function testFuzz_isValidSignature_refuses_whenAFieldWasChanged(uint256 which, uint64 change) public view {
        change = uint64(bound(change, 1, type(uint32).max));
        Buy memory buy = _buy();
        bytes memory signature = _signed(buy);
        bytes32 digest = _digest(buy);
        which %= 8;
        // One byte of a field: to, value, validBefore, class, number, r, vs; or a bit of the hash.
        if (which == 7) digest ^= bytes32(uint256(change));
        else signature[[uint256(3), 27, 33, 34, 38, 40, 100][which]] ^= bytes1(uint8(1 + change % 255));
        _expect(_answer(digest, signature), NO);
    }

    function testFuzz_isValidSignature_refuses_anyOtherLength(bytes memory tail, uint256 cut) public view {
        bytes memory signature = _signed(_buy());
        bytes32 digest = _digest(_buy());
        vm.assume(tail.length != 0);
        _expect(_answer(digest, abi.encodePacked(signature, tail)), NO);
        cut = bound(cut, 0, 102);
        assembly ("memory-safe") {
            mstore(signature, cut)
        }
        _expect(_answer(digest, signature), NO);
    }

    /// @dev No bytes make it revert.
    function testFuzz_isValidSignature_neverReverts(bytes32 hash, bytes32[4] memory words, bytes memory any) public view {
        _expect(_answer(hash, any), NO);
        bytes memory exact = abi.encodePacked(words[0], words[1], words[2], bytes7(words[3]));
        vm.assertEq(exact.length, 103);
        _expect(_answer(hash, exact), NO);
        Buy memory buy = _buy();
        _expect(
            _answer(
                _digest(buy),
                abi.encodePacked(buy.to, buy.value, buy.validBefore, buy.class, buy.number, words[0], words[1])
            ),
            NO
        );
    }

    /// @dev A high s, and r and vs of zero, for which ecrecover returns the zero address.
    function test_isValidSignature_refuses_malformedSignatures() public {
        Buy memory buy = _buy();
        bytes32 digest = _digest(buy);
        bytes memory head = abi.encodePacked(buy.to, buy.value, buy.validBefore, buy.class, buy.number);
        _expect(_answer(digest, abi.encodePacked(head, bytes32(0), bytes32(0))), NO);

        (uint8 v, bytes32 r, bytes32 s) = vm.sign(SESSION, digest);
        uint256 order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        uint256 highS = order - uint256(s);
        bytes32 vs = bytes32(highS | (v == 27 ? 1 << 255 : 0));
        _expect(_answer(digest, abi.encodePacked(head, r, vs)), NO);

        // A revoked session's key is the zero address.
        vm.prank(vm.addr(OWNER));
        wallet.revokeSession();
        digest = _digest(buy);
        _expect(_answer(digest, abi.encodePacked(head, bytes32(0), bytes32(0))), NO);
    }

    function testFuzz_isValidSignature_refuses_otherKeys(uint256 key) public view {
        key = bound(key, 1, 1 << 250);
        vm.assume(key != SESSION);
        _expect(_answer(key, _buy()), NO);
        _expect(_answer(OWNER, _buy()), NO);
        _expect(_answer(OPERATOR, _buy()), NO);
    }

    function testFuzz_isValidSignature_refuses_anotherEpoch(uint32 epoch) public view {
        vm.assume(epoch != 1);
        bytes32 digest = purchaseDigest(address(usdc), address(wallet), epoch, _buy());
        _expect(_answer(digest, packPurchase(SESSION, digest, _buy())), NO);
    }

    function test_isValidSignature_refuses_anotherWalletTokenAndChain() public {
        AgentWallet twin = create("twin", ALLOWANCE);
        bytes32 digest = purchaseDigest(address(usdc), address(twin), 1, _buy());
        _expect(_answer(digest, packPurchase(SESSION, digest, _buy())), NO);
        digest = purchaseDigest(address(relay), address(wallet), 1, _buy());
        _expect(_answer(digest, packPurchase(SESSION, digest, _buy())), NO);

        bytes memory signature = _signed(_buy());
        digest = _digest(_buy());
        _expect(_answer(digest, signature), YES);
        vm.chainId(84_532);
        _expect(_answer(digest, signature), NO);
    }

    function test_isValidSignature_isNo_onTheImplementation() public view {
        bytes32 digest = purchaseDigest(address(usdc), address(factory.IMPLEMENTATION()), 0, _buy());
        _expect(factory.IMPLEMENTATION().isValidSignature(digest, packPurchase(SESSION, digest, _buy())), NO);
    }

    /// @dev Signed messages other than a purchase: permit, receive, cancel, `validAfter` other than 0, a send.
    function test_isValidSignature_refuses_everythingElseThatTheKeySigns() public view {
        Buy memory buy = _buy();
        bytes32 nonce = purchaseNonce(1, buy);
        bytes32[5] memory digests = [
            usdcDigest(
                address(usdc),
                abi.encode(
                    keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                    wallet,
                    RECIPIENT,
                    buy.value,
                    0,
                    buy.validBefore
                )
            ),
            usdcDigest(
                address(usdc),
                abi.encode(
                    keccak256(
                        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
                    ),
                    wallet,
                    RECIPIENT,
                    buy.value,
                    0,
                    buy.validBefore,
                    nonce
                )
            ),
            usdcDigest(
                address(usdc),
                abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), wallet, nonce)
            ),
            usdcDigest(
                address(usdc),
                abi.encode(
                    keccak256(
                        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
                    ),
                    wallet,
                    RECIPIENT,
                    buy.value,
                    1,
                    buy.validBefore,
                    nonce
                )
            ),
            toDigest(
                "Bursar AgentWallet",
                address(wallet),
                keccak256(
                    abi.encode(
                        keccak256("Send(address to,uint64 amount,uint64 nonce,uint48 deadline)"),
                        RECIPIENT,
                        buy.value,
                        nonceOf(1, 0),
                        buy.validBefore
                    )
                )
            )
        ];
        for (uint256 i = 0; i < digests.length; ++i) {
            _expect(_answer(digests[i], packPurchase(SESSION, digests[i], buy)), NO);
        }
    }

    function test_purchase_needsAnAllowance() public {
        wallet = create(bytes32(0));
        Buy memory buy = _buy();
        for (uint8 class = 0; class < 4; ++class) {
            buy.class = class;
            buy.value = 0;
            _expect(_answer(SESSION, buy), NO);
        }
    }

    function test_purchase_endsWithTheSession_inTheSecondAfterValidUntil() public {
        Buy memory buy = _buy();
        buy.validBefore = VALID_UNTIL + 100;
        vm.warp(VALID_UNTIL);
        _expect(_answer(SESSION, buy), YES);
        vm.warp(uint256(VALID_UNTIL) + 1);
        _expect(_answer(SESSION, buy), NO);
        vm.assertFalse(_settle(buy, 1, _signed(buy)), "paid after the session");
    }

    /// @dev A signature that was handed out dies with its session, whoever ends it.
    function testFuzz_purchase_dies_whenTheSessionIsReplaced(uint256 how) public {
        Buy memory buy = _buy();
        bytes memory signature = _signed(buy);
        how %= 3;
        if (how == 0) {
            vm.prank(vm.addr(OWNER));
            wallet.revokeSession();
        } else if (how == 1) {
            vm.prank(vm.addr(OWNER));
            wallet.setSession(vm.addr(SESSION), LIMIT, ALLOWANCE, VALID_UNTIL);
        } else {
            rotate(SESSION, LIMIT, ALLOWANCE, VALID_UNTIL, 1);
        }
        vm.assertFalse(_settle(buy, 1, signature), "paid after its session");
        vm.assertFalse(_settle(buy, 2, signature), "paid in the next session");
        // The same number can be signed again in the new session.
        if (how != 0) vm.assertTrue(_settle(buy, 2, _signed(buy)), "refused in the next session");
    }

    /// @dev Disabling the provider's authority, withdrawing and sending leave purchases as they are.
    function test_purchase_survivesOtherActions() public {
        Buy memory buy = _buy();
        bytes memory signature = _signed(buy);
        vm.prank(vm.addr(OWNER));
        wallet.disableRotationAuthority();
        send(RECIPIENT, 5, nonceOf(1, 0));
        vm.assertTrue(_settle(buy, 1, signature), "refused");
    }

    function test_send_cannotUseThePurchaseAllowance() public {
        uint64 left = LIMIT - uint64(ALLOWANCE) * 1e6;
        vm.assertEq(wallet.state().remaining, left);
        send(RECIPIENT, left, nonceOf(1, 0));
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, nonceOf(1, 1), DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.send, (RECIPIENT, 1, nonceOf(1, 1), DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "sent from the allowance");
        vm.assertTrue(_settle(_buy(), 1, _signed(_buy())), "the purchase was refused");
        vm.assertEq(wallet.state().purchaseAllowance, ALLOWANCE);
    }
}
